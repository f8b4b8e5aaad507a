//! Anchors of C++ declarations: names mangled as Sphinx does it (`sphinx/domains/cpp`, version 4).
//!
//! Some declarations are not read and have no anchor: pointers to functions, expressions other than
//! numbers, deduced types, requirements of concepts.

/// The anchor and the name that a declaration declares.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Declared {
    pub anchor: String,
    /// The name, preceded by the names of its scopes, outermost first.
    pub scope: Vec<String>,
}

/// Deepest nesting of template arguments.
const MAX_DEPTH: usize = 16;

/// Returns the anchor and the name that a declaration of a kind declares, in these scopes.
pub(super) fn declared(kind: &str, declaration: &str, scopes: &[String]) -> Option<Declared> {
    let tokens = tokens(declaration)?;
    let mut parser = Parser { tokens: &tokens, at: 0, depth: 0 };
    let template = parser.template()?;
    let (names, modifiers, rest) = match kind {
        "class" | "struct" | "union" | "enum" | "enum-class" | "enum-struct" | "enumerator"
        | "concept" => {
            parser.skip_words(&["class", "struct", "union", "enum", "public", "private"]);
            (parser.names()?, String::new(), String::new())
        }
        "type" => {
            parser.skip_words(&["typedef", "using"]);
            match parser.alias() {
                Some(names) => (names, String::new(), String::new()),
                None => (parser.declarator()?.names, String::new(), String::new()),
            }
        }
        "member" | "var" => (parser.declarator()?.names, String::new(), String::new()),
        "function" => {
            let declarator = parser.declarator()?;
            let parameters = parser.parameters()?;
            let modifiers = parser.modifiers();
            let returned = match (template.is_empty(), parser.trailing()?) {
                (true, _) => String::new(),
                (false, Some(returned)) => returned,
                (false, None) => format!("{}{}", declarator.suffix, declarator.base),
            };
            (declarator.names, modifiers, format!("{returned}{parameters}"))
        }
        _ => return None,
    };
    let outer = scopes.iter().map(|name| Name { name: name.clone(), arguments: String::new() });
    let all: Vec<Name> = outer.chain(names).collect();
    let mut anchor = format!("_CPPv4{template}");
    nested(&all, &modifiers, &mut anchor);
    anchor.push_str(&rest);
    Some(Declared { anchor, scope: all.into_iter().map(|name| name.name).collect() })
}

/// Returns the names in `foo::bar`; none for `NULL`, `nullptr` and `0`, which end a scope.
pub(super) fn scope(text: &str) -> Vec<String> {
    let text = text.trim();
    if matches!(text, "" | "NULL" | "nullptr" | "0") {
        return Vec::new();
    }
    let text = text.rsplit('>').next().filter(|_| text.starts_with("template")).unwrap_or(text);
    text.split("::").map(str::trim).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

/// A name, and its template arguments, mangled.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Name {
    name: String,
    arguments: String,
}

/// A declaration up to its parameters.
struct Declarator {
    names: Vec<Name>,
    /// The type before pointers and references.
    base: String,
    /// The pointers and references of the type.
    suffix: String,
}

fn nested(names: &[Name], modifiers: &str, out: &mut String) {
    let is_nested = names.len() > 1 || !modifiers.is_empty();
    if is_nested {
        out.push('N');
        out.push_str(modifiers);
    }
    for Name { name, arguments } in names {
        match name.strip_prefix("operator") {
            _ if name == "std" => out.push_str("St"),
            _ if name.starts_with('~') => out.push_str("D0"),
            Some(sign) if operator(sign.trim()).is_some() => {
                out.push_str(operator(sign.trim()).unwrap_or_default());
            }
            _ => out.push_str(&format!("{}{name}", name.chars().count())),
        }
        out.push_str(arguments);
    }
    if is_nested {
        out.push('E');
    }
}

fn operator(sign: &str) -> Option<&'static str> {
    const OPERATORS: [(&str, &str); 42] = [
        ("new", "nw"),
        ("new[]", "na"),
        ("delete", "dl"),
        ("delete[]", "da"),
        ("~", "co"),
        ("+", "pl"),
        ("-", "mi"),
        ("*", "ml"),
        ("/", "dv"),
        ("%", "rm"),
        ("&", "an"),
        ("|", "or"),
        ("^", "eo"),
        ("=", "aS"),
        ("+=", "pL"),
        ("-=", "mI"),
        ("*=", "mL"),
        ("/=", "dV"),
        ("%=", "rM"),
        ("&=", "aN"),
        ("|=", "oR"),
        ("^=", "eO"),
        ("<<", "ls"),
        (">>", "rs"),
        ("<<=", "lS"),
        (">>=", "rS"),
        ("==", "eq"),
        ("!=", "ne"),
        ("<", "lt"),
        (">", "gt"),
        ("<=", "le"),
        (">=", "ge"),
        ("<=>", "ss"),
        ("!", "nt"),
        ("&&", "aa"),
        ("||", "oo"),
        ("++", "pp"),
        ("--", "mm"),
        (",", "cm"),
        ("->", "pt"),
        ("()", "cl"),
        ("[]", "ix"),
    ];
    OPERATORS.iter().find(|(known, _)| *known == sign).map(|(_, id)| *id)
}

/// Returns words, numbers and signs. `None` for texts and other literals.
fn tokens(text: &str) -> Option<Vec<&str>> {
    const SIGNS: [&str; 4] = ["::", "&&", "...", "->"];
    let mut tokens = Vec::new();
    let mut rest = text.trim().trim_end_matches(';').trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_';
        let len = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else if let Some(sign) = SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
            sign.len()
        } else if matches!(first, '"' | '\'') {
            return None;
        } else {
            first.len_utf8()
        };
        tokens.push(&rest[..len]);
        rest = rest[len..].trim_start();
    }
    Some(tokens)
}

struct Parser<'a> {
    tokens: &'a [&'a str],
    at: usize,
    depth: usize,
}

/// Words before a type that do not affect the anchor.
const SPECIFIERS: [&str; 17] = [
    "static",
    "inline",
    "virtual",
    "explicit",
    "constexpr",
    "consteval",
    "constinit",
    "friend",
    "extern",
    "mutable",
    "register",
    "thread_local",
    "typename",
    "struct",
    "class",
    "enum",
    "union",
];

/// Words that form types, alone or together.
const FUNDAMENTAL: [&str; 15] = [
    "void", "bool", "char", "wchar_t", "char8_t", "char16_t", "char32_t", "short", "int", "long",
    "signed", "unsigned", "float", "double", "auto",
];

impl<'a> Parser<'a> {
    fn peek(&self) -> &'a str {
        self.tokens.get(self.at).copied().unwrap_or_default()
    }

    fn take(&mut self, token: &str) -> bool {
        let is_next = self.peek() == token && !token.is_empty();
        self.at += usize::from(is_next);
        is_next
    }

    fn skip_words(&mut self, words: &[&str]) {
        while words.contains(&self.peek()) {
            self.at += 1;
        }
    }

    fn word(&mut self) -> Option<&'a str> {
        let word = self.peek();
        word.starts_with(|c: char| c.is_alphabetic() || c == '_').then(|| {
            self.at += 1;
            word
        })
    }

    /// Returns the parameters of all templates in front of a declaration.
    fn template(&mut self) -> Option<String> {
        let mut out = String::new();
        while self.take("template") {
            if !self.take("<") {
                return None;
            }
            out.push('I');
            while !self.take(">") {
                if self.take("typename") || self.take("class") {
                    out.push_str(if self.take("...") { "Dp" } else { "0" });
                    self.word();
                } else {
                    out.push('_');
                    out.push_str(&self.parameter()?);
                }
                if self.take("=") {
                    self.skip_value()?;
                }
                if !self.take(",") && self.peek() != ">" {
                    return None;
                }
            }
            out.push('E');
        }
        (self.peek() != "requires").then_some(out)
    }

    /// Skips a default value.
    fn skip_value(&mut self) -> Option<()> {
        let mut open = 0usize;
        loop {
            match self.peek() {
                "" => return None,
                "(" | "[" | "{" | "<" => open += 1,
                ")" | "]" | "}" | ">" | "," if open == 0 => return Some(()),
                ")" | "]" | "}" | ">" => open -= 1,
                _ => {}
            }
            self.at += 1;
        }
    }

    /// Returns a nested name: `std::vector<int>`.
    fn names(&mut self) -> Option<Vec<Name>> {
        let mut names = Vec::new();
        self.take("::");
        loop {
            let mut name = String::new();
            if self.take("~") {
                name.push('~');
            }
            name.push_str(self.word()?);
            if name == "operator" {
                name.push_str(&self.sign()?);
            }
            let mut arguments = String::new();
            if !name.starts_with("operator") && self.take("<") {
                arguments = self.arguments()?;
            }
            names.push(Name { name, arguments });
            if !self.take("::") {
                return Some(names);
            }
        }
    }

    /// Returns the sign of an operator.
    fn sign(&mut self) -> Option<String> {
        let mut sign = String::new();
        if self.peek() == "(" {
            self.at += 1;
            return self.take(")").then(|| "()".to_owned());
        }
        while !matches!(self.peek(), "(" | "") {
            sign.push_str(self.peek());
            self.at += 1;
        }
        operator(&sign).map(|_| sign)
    }

    /// Reads template arguments up to `>`.
    fn arguments(&mut self) -> Option<String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return None;
        }
        let mut out = "I".to_owned();
        while !self.take(">") {
            let number = self.peek();
            if number.starts_with(|c: char| c.is_ascii_digit()) {
                self.at += 1;
                out.push_str(&format!("XL{number}EE"));
            } else {
                out.push_str(&self.parameter()?);
            }
            if !self.take(",") && self.peek() != ">" {
                return None;
            }
        }
        self.depth -= 1;
        out.push('E');
        Some(out)
    }

    /// Reads the names of a declaration with `using`: `Name = type`.
    fn alias(&mut self) -> Option<Vec<Name>> {
        let start = self.at;
        let names = self.names().filter(|_| matches!(self.peek(), "" | "="));
        if names.is_none() {
            self.at = start;
        }
        names
    }

    /// Returns the type that specifiers give, with `K` for const.
    fn base(&mut self) -> Option<String> {
        let (mut is_const, mut is_volatile) = (false, false);
        let mut words: Vec<&str> = Vec::new();
        let mut named = None;
        loop {
            let word = self.peek();
            match word {
                "const" => is_const = true,
                "volatile" => is_volatile = true,
                _ if SPECIFIERS.contains(&word) => {}
                _ if named.is_none() && FUNDAMENTAL.contains(&word) => words.push(word),
                _ if words.is_empty() && named.is_none() => {
                    let mut id = String::new();
                    nested(&self.names()?, "", &mut id);
                    named = Some(id);
                    continue;
                }
                _ => break,
            }
            self.at += 1;
        }
        let id = match named {
            Some(id) => id,
            None => fundamental(&words)?.to_owned(),
        };
        let volatile = if is_volatile { "V" } else { "" };
        Some(format!("{volatile}{}{id}", if is_const { "K" } else { "" }))
    }

    /// Reads pointers, references and packs, and returns what each adds in front of a type.
    fn pointers(&mut self) -> Vec<String> {
        let mut pointers = Vec::new();
        loop {
            match self.peek() {
                "*" => {
                    self.at += 1;
                    let (mut is_const, mut is_volatile) = (false, false);
                    loop {
                        if self.take("const") {
                            is_const = true;
                        } else if self.take("volatile") {
                            is_volatile = true;
                        } else {
                            break;
                        }
                    }
                    let volatile = if is_volatile { "V" } else { "" };
                    pointers.push(format!("P{volatile}{}", if is_const { "C" } else { "" }));
                    continue;
                }
                "&" => pointers.push("R".to_owned()),
                "&&" => pointers.extend(["R".to_owned(), "R".to_owned()]),
                "..." => pointers.push("Dp".to_owned()),
                _ => return pointers,
            }
            self.at += 1;
        }
    }

    /// Returns a parameter with or without a name, mangled.
    fn parameter(&mut self) -> Option<String> {
        if self.take("...") {
            return Some("z".to_owned());
        }
        let mut id = self.base()?;
        for pointer in self.pointers() {
            id.insert_str(0, &pointer);
        }
        self.word();
        if self.take("[") {
            let len = self.peek();
            let is_number = len.chars().all(|c| c.is_ascii_digit());
            if len != "]" {
                if !is_number || len.is_empty() {
                    return None;
                }
                self.at += 1;
                id.insert_str(0, &format!("AL{len}E_"));
            } else {
                id.insert_str(0, "A_");
            }
            if !self.take("]") {
                return None;
            }
        }
        Some(id)
    }

    /// Returns a type and the declared name; for constructors only the name.
    fn declarator(&mut self) -> Option<Declarator> {
        self.skip_words(&SPECIFIERS);
        let start = self.at;
        if let Some(names) = self.names()
            && matches!(self.peek(), "(" | "")
        {
            return Some(Declarator { names, base: String::new(), suffix: String::new() });
        }
        self.at = start;
        let base = self.base()?;
        let suffix = self.pointers().into_iter().rev().collect();
        Some(Declarator { names: self.names()?, base, suffix })
    }

    /// Returns the parameters of a function.
    fn parameters(&mut self) -> Option<String> {
        if !self.take("(") {
            return None;
        }
        let mut out = String::new();
        while !self.take(")") {
            out.push_str(&self.parameter()?);
            if self.take("=") {
                self.skip_value()?;
            }
            if !self.take(",") && self.peek() != ")" {
                return None;
            }
        }
        // `f(void)` has the same parameters.
        Some(if out.is_empty() { "v".to_owned() } else { out })
    }

    /// Returns the type after `->`, if there is one.
    fn trailing(&mut self) -> Option<Option<String>> {
        self.take("noexcept");
        match self.take("->") {
            true => self.parameter().map(Some),
            false => (!self.tokens[self.at..].contains(&"->")).then_some(None),
        }
    }

    /// Reads the modifiers after the parameters of a method.
    fn modifiers(&mut self) -> String {
        let (mut is_const, mut is_volatile, mut reference) = (false, false, "");
        loop {
            match self.peek() {
                "const" => is_const = true,
                "volatile" => is_volatile = true,
                "&" => reference = "R",
                "&&" => reference = "O",
                _ => break,
            }
            self.at += 1;
        }
        let volatile = if is_volatile { "V" } else { "" };
        format!("{volatile}{}{reference}", if is_const { "K" } else { "" })
    }
}

/// Returns the letter of a type of several words.
fn fundamental(words: &[&str]) -> Option<&'static str> {
    let has = |word: &str| words.contains(&word);
    let n_long = words.iter().filter(|word| **word == "long").count();
    let is_unsigned = has("unsigned");
    Some(match words {
        [] => return None,
        ["void"] => "v",
        ["bool"] => "b",
        ["wchar_t"] => "w",
        ["char8_t"] => "Du",
        ["char16_t"] => "Ds",
        ["char32_t"] => "Di",
        ["float"] => "f",
        ["auto"] => "Da",
        _ if has("double") && n_long > 0 => "e",
        _ if has("double") => "d",
        _ if has("char") && is_unsigned => "h",
        _ if has("char") && has("signed") => "a",
        _ if has("char") => "c",
        _ if has("short") => {
            if is_unsigned {
                "t"
            } else {
                "s"
            }
        }
        _ if n_long >= 2 => {
            if is_unsigned {
                "y"
            } else {
                "x"
            }
        }
        _ if n_long == 1 => {
            if is_unsigned {
                "m"
            } else {
                "l"
            }
        }
        _ if is_unsigned => "j",
        _ => "i",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn anchors_are_those_of_sphinx() {
        let cases = [
            ("function", "", "void run(int a)", "_CPPv43runi"),
            (
                "function",
                "madness",
                "bool open(const std::string &path, unsigned flags = 0)",
                "_CPPv4N7madness4openERKNSt6stringEj",
            ),
            ("function", "a::B", "size_t size() const noexcept", "_CPPv4NK1a1B4sizeEv"),
            (
                "function",
                "a",
                "template<typename T> T max(const T &a, const T &b)",
                "_CPPv4I0EN1a3maxE1TRK1TRK1T",
            ),
            (
                "function",
                "a",
                "template<typename T, int N> const T *find(std::array<T, N> &values)",
                "_CPPv4I0_iEN1a4findEPK1TRNSt5arrayI1T1NEE",
            ),
            ("class", "a", "template<typename T, class... Ts> Pool", "_CPPv4I0DpEN1a4PoolE"),
            ("class", "", "Pool : public Base", "_CPPv44Pool"),
            ("struct", "a", "Options", "_CPPv4N1a7OptionsE"),
            ("function", "a::Pool", "Pool(Pool &&other)", "_CPPv4N1a4Pool4PoolERR4Pool"),
            (
                "function",
                "a::Pool",
                "explicit Pool(std::size_t n)",
                "_CPPv4N1a4Pool4PoolENSt6size_tE",
            ),
            ("function", "a::Pool", "~Pool()", "_CPPv4N1a4PoolD0Ev"),
            (
                "function",
                "a::Pool",
                "bool operator==(const Pool &other) const",
                "_CPPv4NK1a4PooleqERK4Pool",
            ),
            ("function", "a::Pool", "Pool &operator=(Pool &&other) &", "_CPPv4NR1a4PoolaSERR4Pool"),
            (
                "function",
                "a::Pool",
                "int operator()(int a, char const *b, ...)",
                "_CPPv4N1a4PoolclEiPKcz",
            ),
            ("member", "a", "std::vector<int> items", "_CPPv4N1a5itemsE"),
            ("member", "a", "const char *name = nullptr", "_CPPv4N1a4nameE"),
            ("var", "", "static constexpr int LIMIT", "_CPPv45LIMIT"),
            ("type", "a", "std::vector<int> List", "_CPPv4N1a4ListE"),
            ("type", "a", "Alias = std::map<std::string, long long>", "_CPPv4N1a5AliasE"),
            ("enum-class", "a", "Colour : int", "_CPPv4N1a6ColourE"),
            ("enumerator", "a::Colour", "RED", "_CPPv4N1a6Colour3REDE"),
            (
                "function",
                "",
                "unsigned long long mix(long double a, unsigned char b[], int c[10], \
                 volatile int *d, char *const e)",
                "_CPPv43mixeA_hAL10E_iPViPCc",
            ),
            (
                "function",
                "x",
                "template<typename T> static void put(T *values, std::size_t n)",
                "_CPPv4I0EN1x3putEvP1TNSt6size_tE",
            ),
            ("function", "x", "virtual void close() = 0", "_CPPv4N1x5closeEv"),
            (
                "function",
                "x",
                "std::unique_ptr<a::B> make(std::pair<int, std::vector<float>> p)",
                "_CPPv4N1x4makeENSt4pairIiNSt6vectorIfEEEE",
            ),
            ("function", "x", "void each(void (*f)(int))", "-"),
            ("type", "x", "template<typename T> Ref = T&", "_CPPv4I0EN1x3RefE"),
            ("concept", "", "template<typename T> Sized", "_CPPv4I0E5Sized"),
            ("function", "", "int a::b::c(double)", "_CPPv4N1a1b1cEd"),
            ("function", "", "T &&forward(T &&value)", "_CPPv47forwardRR1T"),
            (
                "function",
                "",
                "template<typename... Args> void emplace(Args&&... args)",
                "_CPPv4IDpE7emplacevDpRR4Args",
            ),
            ("union", "u", "Value", "_CPPv4N1u5ValueE"),
            ("function", "u", "std::array<int, 5> five(unsigned)", "_CPPv4N1u4fiveEj"),
            ("function", "u", "void f(void)", "_CPPv4N1u1fEv"),
            ("function", "u", "auto g(int a) -> int", "_CPPv4N1u1gEi"),
            ("function", "u", "template<class T> auto h(T a) -> int", "_CPPv4I0EN1u1hEi1T"),
        ];
        for (kind, around, declaration, expect) in cases {
            let found = declared(kind, declaration, &scope(around)).map(|found| found.anchor);
            assert_eq!(found.as_deref().unwrap_or("-"), expect, "{kind} {declaration}");
        }
    }

    #[test]
    fn what_is_not_read_has_no_anchor() {
        for declaration in
            ["", "(", "void f(int a = \"x\")", "operator bool() const", "void f(", "int m[2][3]"]
        {
            assert_eq!(declared("function", declaration, &[]), None, "{declaration}");
        }
        let deep = format!("void f({}int{})", "a<".repeat(5_000), ">".repeat(5_000));
        assert_eq!(declared("function", &deep, &[]), None);
    }
}
