//! Links with secrets on their way into a browser of this machine.
//!
//! What a browser is started with can be read by all accounts in the list of processes. So it is
//! started with a file that only this user can read: a page that goes on to the link.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use crate::access::new_token;

/// A page that goes on to a link, in a file of this user that is removed on drop.
#[derive(Debug)]
pub struct Redirection(PathBuf);

impl Redirection {
    /// Writes the page to the folder for temporary files.
    ///
    /// # Errors
    ///
    /// There is no room, or no randomness for a name.
    pub fn to(link: &str) -> io::Result<Self> {
        let name = new_token().map_err(io::Error::other)?;
        let path = std::env::temp_dir().join(format!("stepscope-{name}.html"));
        let mut file = private_file(&path)?;
        let page = Self(path);
        file.write_all(page_to(link).as_bytes())?;
        Ok(page)
    }

    /// Where the page is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Redirection {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

/// A new file that only this user can read.
///
/// # Errors
///
/// It exists, or the folder takes none.
pub fn private_file(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// A page that goes on to a link.
pub fn page_to(link: &str) -> String {
    // As a string of JavaScript within HTML.
    let quoted = serde_json::to_string(link).unwrap_or_default();
    let quoted = quoted.replace('<', "\\u003c");
    format!("<!doctype html><meta charset=\"utf-8\"><script>location.replace({quoted})</script>\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_cannot_leave_its_string() {
        let page = page_to("http://127.0.0.1:1/?token=a\"</script><b>#/s/x");
        assert!(page.contains(r#"replace("http://127.0.0.1:1/?token=a\"\u003c/script>"#));
        assert_eq!(page.matches("</script>").count(), 1);
    }

    #[test]
    fn only_this_user_can_read_it_and_it_does_not_stay() {
        let page = Redirection::to("https://example.com/5ecre7").expect("there is room");
        let path = page.path().to_owned();
        assert!(!path.display().to_string().contains("5ecre7"));
        assert!(fs::read_to_string(&path).expect("text").contains("5ecre7"));
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = fs::metadata(&path).expect("a file").permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        drop(page);
        assert!(!path.exists());
    }
}
