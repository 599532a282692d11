//! Words of a text with their places. Blanks, tabs and carriage returns separate words; only a
//! line feed ends a line.

/// Where a word stands.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place {
    /// The line, from 1.
    pub(super) line: usize,
    /// The byte offset where the line starts.
    pub(super) line_start: usize,
    /// The byte offset of the word.
    pub(super) offset: usize,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Token<'a> {
    /// Its bytes; never empty.
    pub(super) text: &'a [u8],
    pub(super) place: Place,
    /// Whether it is the first word of its line.
    pub(super) first_on_line: bool,
}

impl<'a> Token<'a> {
    /// The word as a whole number of at most 18 digits.
    #[inline]
    pub(super) fn number(&self) -> Option<i64> {
        let (negative, digits) = match self.text {
            [b'-', digits @ ..] => (true, digits),
            digits => (false, digits),
        };
        if digits.is_empty() || digits.len() > 18 {
            return None;
        }
        let mut number = 0;
        for &byte in digits {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                return None;
            }
            number = number * 10 + i64::from(digit);
        }
        Some(if negative { -number } else { number })
    }

    /// The rest of a word behind its first byte.
    pub(super) fn after_first_byte(&self) -> Option<Self> {
        let text = &self.text[1..];
        let place = Place {
            offset: self.place.offset + 1,
            ..self.place
        };
        (!text.is_empty()).then_some(Token {
            text,
            place,
            first_on_line: false,
        })
    }
}

/// Cuts a text into words.
pub(super) struct Tokens<'a> {
    text: &'a [u8],
    at: usize,
    line: usize,
    line_start: usize,
    first_on_line: bool,
}

impl<'a> Tokens<'a> {
    /// The words of this text, without the byte order mark some editors put in front.
    pub(super) fn new(text: &'a [u8]) -> Self {
        let at = if text.starts_with(b"\xEF\xBB\xBF") {
            3
        } else {
            0
        };
        Tokens {
            text,
            at,
            line: 1,
            line_start: at,
            first_on_line: true,
        }
    }

    /// The length of the text in bytes.
    pub(super) fn len(&self) -> usize {
        self.text.len()
    }

    #[inline]
    pub(super) fn next(&mut self) -> Option<Token<'a>> {
        loop {
            match self.text.get(self.at)? {
                b'\n' => {
                    self.line += 1;
                    self.line_start = self.at + 1;
                    self.first_on_line = true;
                }
                byte if is_blank(*byte) => {}
                _ => break,
            }
            self.at += 1;
        }
        let rest = &self.text[self.at..];
        let length = rest
            .iter()
            .position(|&byte| byte == b'\n' || is_blank(byte))
            .unwrap_or(rest.len());
        let token = Token {
            text: &rest[..length],
            place: self.end(),
            first_on_line: std::mem::replace(&mut self.first_on_line, false),
        };
        self.at += length;
        Some(token)
    }

    /// Goes over a clause that begins with this word and has the usual form: literals of at most nine digits and a 0, all on
    /// one line. `literal` hears of each literal, its variable and whether it is negated, and says whether to go on. Says
    /// whether the whole clause was taken; if not, nothing is gone over.
    ///
    /// This is faster than word by word, and nearly all of a large file is such clauses.
    #[inline]
    pub(super) fn plain_clause(
        &mut self,
        first: &Token<'a>,
        mut literal: impl FnMut(u32, bool) -> bool,
    ) -> bool {
        let mut at = first.place.offset;
        loop {
            let negative = self.text.get(at) == Some(&b'-');
            at += usize::from(negative);
            let start = at;
            let mut number = 0u32;
            while let Some(digit) = self.text.get(at).map(|byte| byte.wrapping_sub(b'0'))
                && digit <= 9
                && at - start < 9
            {
                number = number * 10 + u32::from(digit);
                at += 1;
            }
            let is_word = match self.text.get(at) {
                Some(&byte) => byte == b'\n' || is_blank(byte),
                None => true,
            };
            if at == start || !is_word {
                return false;
            }
            if number == 0 {
                if !negative {
                    self.at = at;
                }
                return !negative;
            }
            if !literal(number, negative) {
                return false;
            }
            while self.text.get(at).is_some_and(|&byte| is_blank(byte)) {
                at += 1;
            }
        }
    }

    /// The next word, which stays there.
    pub(super) fn peek(&self) -> Option<Token<'a>> {
        let mut copy = Tokens { ..*self };
        copy.next()
    }

    /// The rest of the present line; the next word is then one of a later line.
    pub(super) fn rest_of_line(&mut self) -> &'a [u8] {
        let rest = &self.text[self.at..];
        let length = rest
            .iter()
            .position(|&byte| byte == b'\n')
            .unwrap_or(rest.len());
        self.at += length;
        &rest[..length]
    }

    /// Goes on with the next line.
    pub(super) fn skip_line(&mut self) {
        self.rest_of_line();
    }

    /// The place reached.
    pub(super) fn end(&self) -> Place {
        Place {
            line: self.line,
            line_start: self.line_start,
            offset: self.at,
        }
    }
}

#[inline]
fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r' | 0x0b | 0x0c)
}
