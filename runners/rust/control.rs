//! The little JSON that control traffic needs, apart from every library under
//! test.

use std::fmt::Display;

/// A value of a request.
pub enum Json {
    Word, // true, false or null: nothing depends on which
    Number(f64),
    Text(String),
    List(Vec<Json>),
    Object(Vec<(String, Json)>),
}

impl Json {
    /// Reads one JSON value; nothing may follow it.
    pub fn parse(text: &[u8]) -> Option<Json> {
        let mut parser = Parser { text, at: 0 };
        let value = parser.value(MAX_DEPTH)?;
        parser.space();
        (parser.at == text.len()).then_some(value)
    }

    /// An object's member, or a word where there is none.
    pub fn get(&self, key: &str) -> &Json {
        match self {
            Json::Object(members) => members.iter().find(|(k, _)| k == key).map_or(&Json::Word, |(_, v)| v),
            _ => &Json::Word,
        }
    }

    /// A string; empty where the value is none.
    pub fn text(&self) -> &str {
        match self {
            Json::Text(text) => text,
            _ => "",
        }
    }

    /// A list's elements; none where the value is no list.
    pub fn list(&self) -> &[Json] {
        match self {
            Json::List(elements) => elements,
            _ => &[],
        }
    }

    /// A whole number; 0 where the value is none.
    pub fn integer(&self) -> i64 {
        match self {
            Json::Number(number) => *number as i64,
            _ => 0,
        }
    }
}

/// How deep requests may be nested.
const MAX_DEPTH: usize = 64;

struct Parser<'a> {
    text: &'a [u8],
    at: usize,
}

impl Parser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Takes the word if it comes next, behind white space.
    fn take(&mut self, word: &str) -> bool {
        self.space();
        let found = self.text[self.at..].starts_with(word.as_bytes());
        if found {
            self.at += word.len();
        }
        found
    }

    fn value(&mut self, depth: usize) -> Option<Json> {
        let depth = depth.checked_sub(1)?;
        self.space();
        match self.peek()? {
            b'{' => self.object(depth),
            b'[' => self.elements(depth),
            b'"' => self.string().map(Json::Text),
            b't' => self.take("true").then_some(Json::Word),
            b'f' => self.take("false").then_some(Json::Word),
            b'n' => self.take("null").then_some(Json::Word),
            _ => self.number(),
        }
    }

    fn object(&mut self, depth: usize) -> Option<Json> {
        self.at += 1;
        let mut members = Vec::new();
        if self.take("}") {
            return Some(Json::Object(members));
        }
        loop {
            self.space();
            let key = self.string()?;
            if !self.take(":") {
                return None;
            }
            members.push((key, self.value(depth)?));
            if self.take("}") {
                return Some(Json::Object(members));
            }
            if !self.take(",") {
                return None;
            }
        }
    }

    fn elements(&mut self, depth: usize) -> Option<Json> {
        self.at += 1;
        let mut elements = Vec::new();
        if self.take("]") {
            return Some(Json::List(elements));
        }
        loop {
            elements.push(self.value(depth)?);
            if self.take("]") {
                return Some(Json::List(elements));
            }
            if !self.take(",") {
                return None;
            }
        }
    }

    fn number(&mut self) -> Option<Json> {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E')) {
            self.at += 1;
        }
        let text = std::str::from_utf8(&self.text[start..self.at]).ok()?;
        text.parse().ok().map(Json::Number)
    }

    fn string(&mut self) -> Option<String> {
        if self.peek()? != b'"' {
            return None;
        }
        self.at += 1;
        let mut text = Vec::new();
        loop {
            let byte = self.peek()?;
            self.at += 1;
            match byte {
                b'"' => return String::from_utf8(text).ok(),
                b'\\' => text.extend_from_slice(self.escape()?.encode_utf8(&mut [0; 4]).as_bytes()),
                _ => text.push(byte),
            }
        }
    }

    fn escape(&mut self) -> Option<char> {
        let letter = self.peek()?;
        self.at += 1;
        Some(match letter {
            b'n' => '\n',
            b't' => '\t',
            b'r' => '\r',
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'u' => return self.unicode(),
            b'"' | b'\\' | b'/' => letter as char,
            _ => return None,
        })
    }

    fn unicode(&mut self) -> Option<char> {
        let first = self.hex()?;
        if !(0xd800..0xdc00).contains(&first) {
            return char::from_u32(first);
        }
        if !self.text[self.at..].starts_with(b"\\u") {
            return None;
        }
        self.at += 2;
        let second = self.hex()?.checked_sub(0xdc00).filter(|low| *low < 0x400)?;
        char::from_u32(0x10000 + ((first - 0xd800) << 10) + second)
    }

    fn hex(&mut self) -> Option<u32> {
        let digits = self.text.get(self.at..self.at + 4)?;
        self.at += 4;
        u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok()
    }
}

/// A JSON object that is being written.
pub struct Reply(String);

impl Reply {
    pub fn new(id: i64) -> Reply {
        Reply(format!("{{\"id\":{id}"))
    }

    /// The whole object, as a line.
    pub fn end(mut self) -> String {
        self.0.push_str("}\n");
        self.0
    }

    pub fn text(&mut self, key: &str, value: &str) {
        self.key(key);
        self.string(value);
    }

    pub fn number(&mut self, key: &str, value: impl Display) {
        self.key(key);
        self.0 += &value.to_string();
    }

    pub fn numbers<T: Display>(&mut self, key: &str, values: &[T]) {
        self.list(key, values, |reply, value| reply.0 += &value.to_string());
    }

    pub fn texts(&mut self, key: &str, values: &[&str]) {
        self.list(key, values, |reply, value| reply.string(value));
    }

    /// A list of objects, whose members `put` writes.
    pub fn objects<T>(&mut self, key: &str, values: &[T], put: impl Fn(&mut Reply, &T)) {
        self.list(key, values, |reply, value| {
            reply.0.push('{');
            put(reply, value);
            reply.0.push('}');
        });
    }

    fn list<T>(&mut self, key: &str, values: &[T], put: impl Fn(&mut Reply, &T)) {
        self.key(key);
        self.0.push('[');
        for (i, value) in values.iter().enumerate() {
            if i > 0 {
                self.0.push(',');
            }
            put(self, value);
        }
        self.0.push(']');
    }

    fn key(&mut self, key: &str) {
        if !self.0.ends_with('{') {
            self.0.push(',');
        }
        self.string(key);
        self.0.push(':');
    }

    fn string(&mut self, value: &str) {
        self.0.push('"');
        for c in value.chars() {
            match c {
                '"' | '\\' => self.0.extend(['\\', c]),
                '\0'..='\x1f' => self.0 += &format!("\\u{:04x}", c as u32),
                _ => self.0.push(c),
            }
        }
        self.0.push('"');
    }
}
