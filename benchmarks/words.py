"""English words in falling order of frequency, for texts whose word statistics resemble those of real chats.

Nothing but the list belongs here: ``benchmarks.corpus`` draws from it with Zipf weights, rank for rank.
"""

from __future__ import annotations

from typing import Final

_TEXT: Final = """
the a i to of and is in for that as with it be are or can you on this an if by from not have will which your more
use at used all their also one may but other such some data there file when new about time has they do any code like
using so should would we function these into text was how import its what example where each up than make first
between could get while name only set here them no then most type information need being language help out list many
provide see value different string array two given both specific values key model class been through way create
system same want source object path message include input view does just local including directory were over work
open based day level find field well output our response take def return objects best client process end number line
version size control world must context after run access even start self might os algorithms my part test sure
possible range those without script options support around try within because body before good else behavior write
available current important large files command order module called however who team still following result always
future elements complex place sets made created target once event implement since structure long multiple know
systems algorithm every let much user print keep uses true link allows environment own change power high constant
check general very give events back down characters able unique better case second things speed now takes content
several public making standard year appropriate single service extension right point real look another per during
variable method series request performance state add syntax considered resources ensure person build examples
whether group please option programming job matrix useful server known types similar against send functions us
needed various library means instead meaning generate consider days often read features me form too memory times
free results already active exists next am loop provides ai inputs did models error action depending perform until
something determine additional users call space position few cost instance note cannot main variables others found
light screen less product due search points either sent defined parameters depends changes least improve groups
project significant network exist potential works provided prevent full shape anything words people languages common
certain includes machine requests regular related force weights table details required word added previous term
progress deep close correct date credentials ways likely task cause testing letter further creating go length
supplies methods passed small writing steps subject lower center nature requirements resolution storage impact raise
necessary allow split starting minutes sort looking higher program understanding amount rather refers development
human kind documentation numbers messages done low together info working life produce image mapping learn building
rows individual web faster actually row store become itself sheet off come existence compare area specified tasks
classes weight three last parse needs simple substitute present items named theory display physical sequence
training operations particular parser makes problems limit opening libraries bucket top mean fine base changing
contents currently across generally everything running extensions determining scope quickly never description vary
log software width terms fish handle raises scientific rolling hand correctly share designed reduce app require
above complete location element pass fields matter match properties enough show reference years built release
associated trying providing idea tools dynamic media relationship underlying practice existing someone why failed
symbolic having avoid console argument cases logic finding processing returns original below yourself approach old
recent sorted missing tag supports names except popular purpose keyword simply directly yet continue platform
requires lead little negative actions understand doing leading runs graph sample along format latest water bar stop
expected ones join left quality follow sources seconds say streaming typically under tell none shows conditions
clear written relevant identify platforms visit letters difference traditional effects greater font replace answer
lines additionally overall style batch reason final errors easily hard external capabilities easy taking according
health places advanced helps refresh live resource usually special really operation implementing degree track
selection forward interpreted indicate weighted record canvas basic report age connection major sometimes had
relative later family rules setting otherwise levels follows ignored combination download install corresponding
connect short blocks think choice generation define recommend therefore equal alternative factors step merge color
larger recommended whole architecture circle processes constructing efficient stored knowledge applications minimum
increase ask sense strategy described entire rest tests accessible question zero package effective online page
native average interface definition feature flight choose past side changed rule drive describe wide exception
positive inside addition save towards smaller plan fall play patterns shown though offers title entry children
outputs successful longer depend presence site account away actual holding lot draw history sorting document
implemented strong arrays yes fully thus especially detailed compiled meet located empty followed condition
responses finally linear blue upper alternate separate copy potentially strings parts statement far structures
tokens suitable generated break fast offer exactly again easier month reach put tool containing theme services
dictionary parameter limited focus happen problem quite assets matching height maintain angle goal adjust difficult
section magic property perspective equivalent effect occur pages determined symbols bit compared species business
summary strategies extract holds upon fit locations reading getting among appears caused ignore variety natural
modern breaking formats maximum binary dynamically seen going valid remaining substitution music eggs attempts
arguments success consistent developers taken stack checking stream mind nothing determines obtain factor align
states scale programs security figure refer city links mirror components interested head proper unless symbol
situations drop helpful union causes monitor sign execute move comments protect loops presentation course square
select started bias lives sheets immediately virtual flexible hello specifically supply particularly outside
completed daily increasing hour collection themselves enable gives apply distance routine ability comes random box
false sensor device keeping guide readable increased connections status powerful prompt gets production sound care
tries filter specify tree aspects unit thing remove attempt discovery address lists cut sizes allowing overrides ii
analysis browser thanks attribute price purposes shapes possibly receive rich generates effectively got removed
checks begin limits password manager central friendly highly block hold choices headers responsible explanation
produced secure describing design double ultimately logger passing extended applied throughout fuzzy index accurate
units usage push post developer thought commonly returned seek calls meant operating fixed communication sun contact
private regardless fill accepted detect roots home concept resulting policy versions improved stay mentioned benefit
reasons updated automatically plane measure allowed overview influence capable interaction attributes environ period
modify aware dependencies wait generating initial interact suggest represents respectively copied creates
destination desired framework starts accuracy walk supported act unknown middle computer affect although moving
truth blocking falls placed highest exceptions early hours week application differences becomes expect notation
properly four warm intended his signal dataset strict forces launched exact axis rate via depth claim unable
interactive wrong compiler beyond total decision smallest plot primary solve fact grammar typed describes
authenticate five man producing retrieve represented goes prices tips watch worth management atomic flow load
applies terminal assume background direct projects tags hash looks interesting slow statements historical category
pretty universal map paths entirely reduced adding zone gather window country deeper channels consult runtime
periods limitations execution setup operator reliable slightly represent deal holiday comparison consume interest
largest verify adjusted math perhaps readers remote fun soon requested expansion summer host conflict wish
expressions manage remains connected installed understood achieve continues sleep remain token despite legal warning
login moment convert shared animal environments mark transform modified performing referred engine older outline
videos compatible happens drawing listening windows interactions expensive probably seems defining records
downloaded marked coming came explicit recorded safe primarily kingdom searching database members equation contrast
hardware seem occurred extracted item said mainly expressed observed preference edge claims obtained minute
persistent frequency calculation behind detail core repeat absolute specialized sending positions filled fonts
analyze apart controller auto front listed merged networks promote assuming enter recently repeated efficiency risk
wider logging driver technique closing previously settings combined contain unexpected catch meaningful raw
happening near leave parsing tells confusion pool clean breaks entity launch normal marks manner stores imports
sequences establish handling cross sampling compute interval consistently moved shift incompatible repository chain
trust pattern big decide brand exploring received ever observations graphics assumed duration winter giving upload
calendar third update safety watching reverse capture differ horizontally master targeted compatibility dog chance
fire involved abstract article evaluation supporting jobs performed impossible rewrite beginning leak continuous
calling custom ready spread fits prints signals involves publish holidays inclusion payload involve suggestions
rendering neither sensors broken mostly approximately arc gradually preferences engines face practical reducing
creation component indicating loss angles integration samples internal jump lack swapped nor managed assigned
resolve activation essential lots identity happened iterates opened adapt forming animals priority constructor
member offset experimental solution serve thousands instructions official targeting varying interpreter mix almost
origin cells ensuring insertion loads downloads modules automated effort enhance visual appear dark portal extra
categories acts detected advantage highlighting causing readability consumption surrounding inverse descending
docstrings rely listen discussion packages reader listener ratio released ending turn dir explicitly forget
manipulate outcome challenge relationships rank sync completely formed sensitive maps construct controlling
inference sentence stuff throw justify dictionaries pick replaced treated probability stability documented
compression inclusive covered child precision constraints acquire locate alias global computing maybe executed nice
showing carefully charge lag sum choosing titles optimization processed kept maintaining sender established floor
relatively basis evaluate completion expand overflow indeed prompts convenient cover trusted anywhere compound
transforming aims alone region considering sufficient complexity inner protected plus processor achieved rights
formatted references styles material vector notebook char automatic transformed hidden roman trees stopped spaces
growth terminator circular registered strictly kinds textual immediate regarding interchange tried passes
transaction population compile keywords published route communicate eventually aligned functionality implements
indented notice accessing latter alternatively fail typing stable treat revisions sides animation consists browsers
clock piece views occurs accounts exchange ideal walking independent adds attempting closer opportunity quick robust
legacy powers egg grace logged replacing dependent transport precise integral discouraged pixels comprehensive
observe respond deals months exposed linked subscription frequently proportional wanted debugging combine pointing
tested overhead leads optimize controlled activate carry alpha frameworks hands solutions stand optimal efficiently
lose familiar bottom foreign candidate successfully qualified fresh asked deployment essentially functional shortest
logs interacting correspond highlights writer begins derived preserved sections consuming measured exclude ease
append colors waiting plugins manifest panel visibility inserted failures logical mechanism finds candidates
opposite compares scaling classic stands slash alignment signed half pre turns reported joining mouse identifying
raising composed hence seed ascending keeps complicated examine fly simpler behaviour chosen email segment sell
const constants writes race subscribe visiting matters counter originally swap translate lowest convenience affected
collect datasets former guarantee longest optimized secret tracking emit whenever flexibility offered reflection
consistency descriptions hints relies earlier monitoring ongoing owned visible affects expose nearest whatever bugs
secondary serves treatment sharing solid vertically calculations thrown guess prefer introduced definitely mistake
redundant comparing operate guides parentheses cloud turning division editor manages products varies entering
portion medium quiet workers feed red pieces pop direction releases losing truly utilize convention became denoted
heavily metrics oldest phrase preventing divided entities pools shall slower reduction ancestors driven initially
behaves reached updates hiding sit respect detection emulate isolation sorts discrete outer actively atom concern
huge introduce significantly stage infer listing capacity clip prevents restrictions boundaries naming algebraic
likelihood triggers combining extend similarly globally held assign distinct colorful crash markdown obtaining
stopping backed manually bodies centered mathematical multiply suggestion approximate customization estimated toy
narrowing scopes branch modes threshold analyzing mirrors conflicts clearly dialog guidance influences star straight
unfortunately bars exclusive minor born savings situation wild advance estimate unlike altered drops equally green
lies promotion recording solely subsequence texts uploaded validity availability confidence couple explanations
extremely holes inches measuring signs sits adjacent
"""
WORDS: Final = tuple(_TEXT.split())
