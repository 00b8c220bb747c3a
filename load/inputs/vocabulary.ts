/**
 * The words of prompts that are made: common English ones, so that most tokenizers have a token for each. The same seed makes the
 * same prompts as long as this list stays as it is.
 */
export const VOCABULARY: readonly string[] = (
  "about above accepted actions actually address after again against agenda ago agree agreed agreement air all " +
  "allowed alone always amounts an and another answer answered answers any anybody anyway app apples applies " +
  "arch archive are argument arrive arrived as aside ask assumes at ate attach attempts aunt authority away back " +
  "badly ball bank based be bears became because before begun behaves behaviour bell bells belongs below best " +
  "better between bicycle big bin bio blister blue boat boats body booking boots born borrower both bought box " +
  "boy bracket brand bread breaks bridge brief bright broke brush budget builds burr bus business but button " +
  "buttons buy by cable cache call callers calls came can cannot capacity card cards case cat catch caught cause " +
  "caused cent centre cents ceramic change changed changes chapter cheap check checkout cheese child children " +
  "city claims class clause clauses clean cleaned cleaner clear clearly client climbs clip clock closed closest " +
  "cloud code coffee cold colleagues collection collects colour colours come comes complaints complete computer " +
  "cones connected connection consent contract corrected cost costs could count counted counting country coupon " +
  "court cows craft crates cross cups current customer customers cut damaged data database date dates day days " +
  "deadlines deadlock dearer decide degrees delay delete delivery dentist deposit describe described design desk " +
  "diary did disagree discussed discussion dishwasher disk do does dogs done door dose dot double doubled down " +
  "draft draw drawer drawing drift drop dry due dynamo each earlier earns echo editor effect eight either else " +
  "empty end ended error errors espresso even every everyone everything evidence exactly example except excludes " +
  "exhausted exists expect expensive expired expires explain explained export fail failed fall falling false " +
  "fast father fault feature feel feet ferry festival fetch field figures file filter final finance find fine " +
  "finished fire first fit five fix fixed flag flat flood fog fold football for force forecast forgets form " +
  "forty forward found fountain four friendly from front fun function garbage garden gas gate gateway gave get " +
  "give given gives glass glue go going good graph green grinder group groups guessing guest had hail half hall " +
  "hand handed hands hang happen harbour has have he head health hear heating height help her here herons hers " +
  "hiking hiring his holds holidays hopper hose host hot hotel hour hours house how hundred hurry if ignore in " +
  "includes income index inform informs inn inspect install instead insured interest interface internet into " +
  "invited invoice is it item items its job jobs join joined jokes keep keeps kept kettle key keys kilometres " +
  "kind kitchen knew knock knots know knows lag lake lamp lamps landing languages last lasted lasts late later " +
  "latest laughed lay learning learnt lease least leave left lender lent less let letter liable library lifting " +
  "light lighting like likely limit line lines list listened lists live loading log long longer look looked " +
  "loose lost loyalty machine made mail mails make maker man managers manual many map mark marquee match matter " +
  "matters may me mean measures meeting member members mention message metal meter metres milk million min " +
  "minute minutes miss missing mistake model module money month months mood more morning most move moved much " +
  "mug museum must my name named names nearly need needed needs neighbours nervous neutral never new newest next " +
  "night nightly no nobody none not note notes nothing notice now number numbers object of offer offers office " +
  "oil old older on once one only open opens operator opinion opt or order orders other others otherwise our out " +
  "output outside over overnight owed owner owns pack page paid paint pairs paper parcel parcels park parking " +
  "parser part parties partition parts party pass passer path patience paused pay payment pays people per " +
  "percent permit person persons photo picture pictures plain plan planned planning plaster platform please plot " +
  "point pointed points politeness pool port portrait practising press price print process product project " +
  "promised promises property proposal provided provider provides public pull purpose push put quantity quarter " +
  "query question questions queue quotes railway rain range rate rather rating reached read readings reason " +
  "receipt receipts received record red refused regular remain remember renewed repaid repair repairs repeats " +
  "replace replica report request requests resolve rest result results retires retrying return returned returns " +
  "review reviews rewrite rhyme ridge right rights risk road role rolled roof room rooms rose round row rows " +
  "rules runs safe said salary same saucers save say says scan scheduled scheme sea second seconds see seen " +
  "select self send sending sent sentence sentences separate service set settings seven shall share she shed " +
  "shepherd shift shirts shoes shop short should show showcase showed shows side sign silent silly simple simply " +
  "since sit site six sixty size sizes sketch sleeps slept slow small smaller smells so sold somebody sort sound " +
  "sounds space spaces spare speak spelling spent spoke stage standard stars started static station status stay " +
  "step still stops store stories story stream string strongly style such sum summer super supplier support " +
  "surcharge sure survey survive switch switched system table tags take takes talk talked tape tea teach team " +
  "tell ten tenant tense tent test tested tests text than thanks that the their them theme then there these they " +
  "thing third this three through throw throws ticket tickets time timed tin tiredness title to today together " +
  "token told tone took tool tools torch total tourist tradition train training trains transcript tried trust " +
  "try tune turn turned turning turnover twice two under unless until up update upload upright us usage use used " +
  "user users uses vacuum valid valley value values van verbs version vessel vessels voice void vote waiting " +
  "wakes walk walks wall walled want wants warehouse warm warn was washed watched water way we weather week " +
  "weekend weeks weighs weight well went were wet what when where whether which while who whole whom whose why " +
  "wide will wind window winter wish wistful with within without word words wore work worker workers working " +
  "works workshop worry worst worth would write writing written wrong wrote year years yellow yes you younger " +
  "your"
).split(" ");
