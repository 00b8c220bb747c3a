"""Saves a tokenizer that knows bytes and little else into the folder that is named: AIPerf counts with it."""

import sys

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

UNKNOWN = "[UNK]"

made = Tokenizer(models.BPE(unk_token=UNKNOWN))
made.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
made.decoder = decoders.ByteLevel()
trainer = trainers.BpeTrainer(
    vocab_size=300, special_tokens=[UNKNOWN], initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
)
made.train_from_iterator(["a few words"], trainer)
PreTrainedTokenizerFast(tokenizer_object=made, unk_token=UNKNOWN).save_pretrained(sys.argv[1])
