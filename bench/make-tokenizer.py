"""Saves a byte-level tokenizer into the folder given as argument: AIPerf requires one to count tokens."""

import sys

from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import PreTrainedTokenizerFast

UNKNOWN = "[UNK]"

tokenizer = Tokenizer(models.BPE(unk_token=UNKNOWN))
tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
tokenizer.decoder = decoders.ByteLevel()
trainer = trainers.BpeTrainer(
    vocab_size=300, special_tokens=[UNKNOWN], initial_alphabet=pre_tokenizers.ByteLevel.alphabet()
)
tokenizer.train_from_iterator(["a few words"], trainer)
PreTrainedTokenizerFast(tokenizer_object=tokenizer, unk_token=UNKNOWN).save_pretrained(sys.argv[1])
