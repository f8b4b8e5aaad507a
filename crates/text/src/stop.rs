//! Stop words: function words that hardly distinguish texts.
//!
//! They are flagged and never dropped, so that phrases of stop words can be found. The lists leave
//! out words that are also keywords of programming languages (`if`, `while`, `where`, `new`).

use crate::word_list::WordList;

pub(crate) const EN: WordList = WordList(
    "\
    a about am an and are as at be been being but by can can't cannot could did didn't do does \
    doesn't doing don't for from had has hasn't have having he her here his how i i'd i'm i've \
    in into is isn't it it's its me my of on or our shall she should so such than that the their \
    them then there these they this those to too us was wasn't we were what what's when which \
    who whom why will with would you your",
);

pub(crate) const DE: WordList = WordList(
    "\
    aber als am an auch auf aus bei beim bin bis da damit dann das dass dem den denn der des die \
    dies diese diesem diesen dieser dieses doch du durch ein eine einem einen einer eines er es \
    für haben hat ich ihr ihre im in ins ist kann man mein meine mich mir mit nach noch nur ob \
    oder sein seine sich sie sind so um und uns unter vom von vor war was wenn wer werden wie \
    wir wird wo wurde zu zum zur über",
);

pub(crate) const FR: WordList = WordList(
    "\
    a ai au aux avec c ce ces cette comme comment d dans de des du elle elles en est et eu il \
    ils j je l la le les leur leurs lui m ma mais me mes mon n ne nos notre nous on ont ou où \
    par pas pour qu que quel quelle qui s sa se ses si son sont sur t ta te tes ton tu un une \
    vos votre vous y à été être",
);

pub(crate) const ES: WordList = WordList(
    "\
    a al como con cuando cómo de del donde e el ella ellos en entre era es esa ese eso esta este \
    esto está están ha hay la las le les lo los me mi mis muy más nos o para pero por que quien \
    qué se ser si sin son su sus sí te tu tus un una unas unos y ya yo él",
);

pub(crate) const IT: WordList = WordList(
    "\
    a ad agli ai al alla alle anche c che chi ci come con cui d da dal dalla degli dei del della \
    delle di dove e ed era gli ha ho i il in io l la le lei lo loro lui ma mi mio ne nei nel \
    nella noi non o per più quale quando questa questo se si sono su sua sul sulla suo ti tra tu \
    un una uno vi voi è",
);

pub(crate) const PT: WordList = WordList(
    "\
    a ao aos as com como da das de do dos e ela ele eles em entre era essa esse esta este está \
    eu foi há isso isto já lhe mais mas me meu minha muito na nas no nos não nós o os ou para \
    pela pelo por qual quando que quem se sem ser seu sua são também te tem um uma você à às é",
);

pub(crate) const NL: WordList = WordList(
    "\
    aan al als bij dan dat de der deze die dit door dus een en er ge geen haar had heb hebben \
    heeft hem het hij hoe hun ik in is je jij kan kunnen maar me met mij mijn na naar niet nog \
    nu of om omdat onder ons ook op over s t te ten toen tot u uit uw van veel voor waar waren \
    was wat we wel werd wie wij wordt zal ze zich zij zijn zo zou",
);

pub(crate) const SV: WordList = WordList(
    "\
    alla att av blir da de dem den denna deras dess det detta dig din dina du där då efter ej \
    eller en er ett från för ha hade han hans har hon hur här i icke inte jag kan man med mig \
    min mina mot mycket ni nu när någon något och om oss på sig sin sina ska som så till under \
    upp ut utan vad var vara vem vi vid är över",
);

pub(crate) const DA: WordList = WordList(
    "\
    af alle at blev bliver da de dem den denne der deres det dette dig din du efter eller en er \
    et for fra ham han hans har hende her hun hvad hvis hvor hvordan i ikke ind jeg jer kan man \
    med meget men mig min mod ned nu når og også om op os over på sig sin skal som så til ud \
    under var ved vi vil være været",
);

pub(crate) const NO: WordList = WordList(
    "\
    alle at av ble blir da de deg dem den denne der deres det dette din du eg eller en enn er et \
    ett etter for fra ham han hans har her hun hva hvem hvis hvor hvordan i ikke ikkje inn jeg \
    kan man med meg men mot ned nå når og også om opp oss over på seg sin skal som så til ut var \
    ved vi vil være",
);

pub(crate) const FI: WordList = WordList(
    "\
    ei eivät en et että he hän itse ja joka jos jotka kanssa koska kuin kun me mihin mikä missä \
    mitä mutta myös ne niin nyt nämä oli olla on ovat se sekä sen siitä sillä sinä tai te tämä \
    tämän vaan vai vain",
);

pub(crate) const RU: WordList = WordList(
    "\
    а без более бы был была были было быть в вам вас во вот все всё вы где да для до его ее если \
    есть ещё её же за и из или им их к как какой ко когда которые который ли мне мы на над не \
    него нее нет ни но о об он она они оно от по под при с со так также там то того тоже только \
    тот ты у уже чего чем что чтобы эта эти это этого этот я",
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_sorted_and_in_lower_case() {
        for list in [EN, DE, FR, ES, IT, PT, NL, SV, DA, NO, FI, RU] {
            let words: Vec<&str> = list.iter().collect();
            assert!(words.len() > 30, "{words:?}");
            for pair in words.windows(2) {
                assert!(pair[0] < pair[1], "{pair:?}");
            }
            for word in words {
                assert_eq!(*word, word.to_lowercase());
                assert!(list.contains(word), "{word}");
            }
        }
    }
}
