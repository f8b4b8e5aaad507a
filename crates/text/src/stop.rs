//! Stop words: function words that hardly distinguish texts. Flagged, never dropped, so that
//! phrases made of them stay findable. Words that double as keywords of programming languages
//! (`if`, `while`, `where`, `new`) are left out on purpose.

use std::cmp::Ordering;

use crate::rules::{Rules, primary_subtag};

/// A list of stop words: lower case, sorted, a space between two. A list of strings would be twice
/// as long, by their addresses.
#[derive(Clone, Copy, Default)]
pub(crate) struct StopWords(&'static str);

impl StopWords {
    /// All words, in order.
    pub fn iter(self) -> impl Iterator<Item = &'static str> {
        self.0.split(' ').filter(|word| !word.is_empty())
    }

    /// Whether a word is one of them.
    pub fn contains(self, word: &str) -> bool {
        let (list, word) = (self.0.as_bytes(), word.as_bytes());
        let (mut from, mut to) = (0, list.len());
        // The word sought lies in `from..to`, which begins and ends where words do.
        while from < to {
            let middle = from + (to - from) / 2;
            let start = from
                + list[from..middle].iter().rposition(|&b| b == b' ').map_or(0, |space| space + 1);
            let end =
                list[middle..to].iter().position(|&b| b == b' ').map_or(to, |space| middle + space);
            match word.cmp(&list[start..end]) {
                Ordering::Equal => return true,
                Ordering::Less => to = start.saturating_sub(1).max(from),
                Ordering::Greater => from = (end + 1).min(to),
            }
        }
        false
    }
}

/// Whether a lower-case word is a stop word of a language, BCP 47.
pub fn is_stop_word(bcp47: &str, word: &str) -> bool {
    Rules::of(&primary_subtag(bcp47)).stop_words.contains(word)
}

pub(crate) const EN: StopWords = StopWords(
    "\
    a about am an and are as at be been being but by can can't cannot could did didn't do does doesn't doing \
    don't for from had has hasn't have having he her here his how i i'd i'm i've in into is isn't it it's its me \
    my of on or our shall she should so such than that the their them then there these they this those to too us \
    was wasn't we were what what's when which who whom why will with would you your",
);

pub(crate) const DE: StopWords = StopWords(
    "\
    aber als am an auch auf aus bei beim bin bis da damit dann das dass dem den denn der des die dies diese \
    diesem diesen dieser dieses doch du durch ein eine einem einen einer eines er es für haben hat ich ihr ihre \
    im in ins ist kann man mein meine mich mir mit nach noch nur ob oder sein seine sich sie sind so um und uns \
    unter vom von vor war was wenn wer werden wie wir wird wo wurde zu zum zur über",
);

pub(crate) const FR: StopWords = StopWords(
    "\
    a ai au aux avec c ce ces cette comme comment d dans de des du elle elles en est et eu il ils j je l la le \
    les leur leurs lui m ma mais me mes mon n ne nos notre nous on ont ou où par pas pour qu que quel quelle qui \
    s sa se ses si son sont sur t ta te tes ton tu un une vos votre vous y à été être",
);

pub(crate) const ES: StopWords = StopWords(
    "\
    a al como con cuando cómo de del donde e el ella ellos en entre era es esa ese eso esta este esto está están \
    ha hay la las le les lo los me mi mis muy más nos o para pero por que quien qué se ser si sin son su sus sí \
    te tu tus un una unas unos y ya yo él",
);

pub(crate) const IT: StopWords = StopWords(
    "\
    a ad agli ai al alla alle anche c che chi ci come con cui d da dal dalla degli dei del della delle di dove e \
    ed era gli ha ho i il in io l la le lei lo loro lui ma mi mio ne nei nel nella noi non o per più quale \
    quando questa questo se si sono su sua sul sulla suo ti tra tu un una uno vi voi è",
);

pub(crate) const PT: StopWords = StopWords(
    "\
    a ao aos as com como da das de do dos e ela ele eles em entre era essa esse esta este está eu foi há isso \
    isto já lhe mais mas me meu minha muito na nas no nos não nós o os ou para pela pelo por qual quando que \
    quem se sem ser seu sua são também te tem um uma você à às é",
);

pub(crate) const NL: StopWords = StopWords(
    "\
    aan al als bij dan dat de der deze die dit door dus een en er ge geen haar had heb hebben heeft hem het hij \
    hoe hun ik in is je jij kan kunnen maar me met mij mijn na naar niet nog nu of om omdat onder ons ook op \
    over s t te ten toen tot u uit uw van veel voor waar waren was wat we wel werd wie wij wordt zal ze zich zij \
    zijn zo zou",
);

pub(crate) const SV: StopWords = StopWords(
    "\
    alla att av blir da de dem den denna deras dess det detta dig din dina du där då efter ej eller en er ett \
    från för ha hade han hans har hon hur här i icke inte jag kan man med mig min mina mot mycket ni nu när \
    någon något och om oss på sig sin sina ska som så till under upp ut utan vad var vara vem vi vid är över",
);

pub(crate) const DA: StopWords = StopWords(
    "\
    af alle at blev bliver da de dem den denne der deres det dette dig din du efter eller en er et for fra ham \
    han hans har hende her hun hvad hvis hvor hvordan i ikke ind jeg jer kan man med meget men mig min mod ned \
    nu når og også om op os over på sig sin skal som så til ud under var ved vi vil være været",
);

pub(crate) const NO: StopWords = StopWords(
    "\
    alle at av ble blir da de deg dem den denne der deres det dette din du eg eller en enn er et ett etter for \
    fra ham han hans har her hun hva hvem hvis hvor hvordan i ikke ikkje inn jeg kan man med meg men mot ned nå \
    når og også om opp oss over på seg sin skal som så til ut var ved vi vil være",
);

pub(crate) const FI: StopWords = StopWords(
    "\
    ei eivät en et että he hän itse ja joka jos jotka kanssa koska kuin kun me mihin mikä missä mitä mutta myös \
    ne niin nyt nämä oli olla on ovat se sekä sen siitä sillä sinä tai te tämä tämän vaan vai vain",
);

pub(crate) const RU: StopWords = StopWords(
    "\
    а без более бы был была были было быть в вам вас во вот все всё вы где да для до его ее если есть ещё её же \
    за и из или им их к как какой ко когда которые который ли мне мы на над не него нее нет ни но о об он она \
    они оно от по под при с со так также там то того тоже только тот ты у уже чего чем что чтобы эта эти это \
    этого этот я",
);

#[cfg(test)]
mod tests {
    use super::*;

    const LANGUAGES: &[&str] =
        &["en", "de", "fr", "es", "it", "pt", "nl", "sv", "da", "no", "fi", "ru"];

    fn stop_words(language: &str) -> StopWords {
        Rules::of(language).stop_words
    }

    #[test]
    fn lists_are_sorted_and_lower_case() {
        for language in LANGUAGES {
            let words: Vec<&str> = stop_words(language).iter().collect();
            assert!(words.len() > 30, "{language}");
            for pair in words.windows(2) {
                assert!(pair[0] < pair[1], "{language}: {pair:?}");
            }
            for word in words {
                assert_eq!(*word, word.to_lowercase(), "{language}");
            }
        }
    }

    #[test]
    fn what_is_on_a_list_is_found_and_nothing_else() {
        for language in LANGUAGES {
            let list = stop_words(language);
            for word in list.iter() {
                assert!(list.contains(word), "{language}: {word}");
                for other in [
                    format!("{word}x"),
                    format!("{word} "),
                    word.chars().skip(1).collect(),
                    format!(" {word}"),
                ] {
                    assert_eq!(
                        list.contains(&other),
                        list.iter().any(|word| word == other),
                        "{language}: {other}"
                    );
                }
            }
        }
        assert!(!stop_words("xx").contains("") && !stop_words("xx").contains("the"));
    }
}
