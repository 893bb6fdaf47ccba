//! One event of the JSON: its fields found in a single pass, nothing converted yet.

use super::token::{Cursor, Part, Stop, Token};

/// The fields of one event.
#[derive(Default)]
pub(super) struct Raw {
    pub(super) phase: u8,
    pub(super) name: Part,
    pub(super) category: Part,
    /// Microseconds, a number or a text.
    pub(super) time: Part,
    pub(super) duration: Part,
    pub(super) process: Option<Token>,
    pub(super) thread: Option<Token>,
    pub(super) id: Option<Token>,
    /// `id2`: an object with one id.
    pub(super) scoped_id: Option<Part>,
    /// An arrow's end binds to the slice around it.
    pub(super) binds_around: bool,
    pub(super) arguments: Vec<(Part, Token)>,
    /// It has no member at all, like the one that ends the events of JAX.
    pub(super) is_empty: bool,
}

impl Raw {
    /// Reads an event; gives how many bytes it takes.
    #[inline]
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<usize, Stop> {
        let mut arguments = std::mem::take(&mut self.arguments);
        arguments.clear();
        *self = Self {
            arguments,
            is_empty: true,
            ..Self::default()
        };
        let mut cursor = Cursor::new(bytes);
        cursor.expect(b'{')?;
        while let Some(key) = cursor.key()? {
            self.is_empty = false;
            match key.of(bytes) {
                b"ph" => {
                    if let Token::Text(phase) = cursor.value()? {
                        self.phase = phase.of(bytes).first().copied().unwrap_or(0);
                    }
                }
                b"name" => self.name = text(cursor.value()?),
                b"cat" => self.category = text(cursor.value()?),
                b"ts" => self.time = text(cursor.value()?),
                b"dur" => self.duration = text(cursor.value()?),
                b"pid" => self.process = Some(cursor.value()?),
                b"tid" => self.thread = Some(cursor.value()?),
                b"id" => self.id = Some(cursor.value()?),
                b"id2" => {
                    if let Token::Nested(object) = cursor.value()? {
                        self.scoped_id = Some(object);
                    }
                }
                b"bp" => self.binds_around = text(cursor.value()?).of(bytes) == b"e",
                b"args" if cursor.peek()? == b'{' => self.read_arguments(&mut cursor)?,
                _ => {
                    cursor.value()?;
                }
            }
        }
        Ok(cursor.at)
    }

    #[inline]
    fn read_arguments(&mut self, cursor: &mut Cursor<'_>) -> Result<(), Stop> {
        cursor.expect(b'{')?;
        while let Some(key) = cursor.key()? {
            let value = cursor.value()?;
            self.arguments.push((key, value));
        }
        Ok(())
    }

    /// An argument by its name.
    #[inline]
    pub(super) fn argument(&self, bytes: &[u8], name: &[u8]) -> Option<Token> {
        let found = self.arguments.iter().find(|(key, _)| key.of(bytes) == name);
        found.map(|&(_, value)| value)
    }
}

/// A text, or a number as it is spelled.
#[inline]
fn text(token: Token) -> Part {
    match token {
        Token::Text(part) | Token::Number(part) | Token::Nested(part) => part,
        Token::Bool(_) | Token::Null => Part::default(),
    }
}
