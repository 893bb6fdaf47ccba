//! Folders that others on the machine cannot look into.

use std::fs;
use std::io;
use std::path::Path;

/// Makes a folder below `root`, and makes `root` this user's own: whoever it belongs to, others may
/// not look into it, nor have made it in advance.
///
/// # Errors
///
/// The folder cannot be made, or `root` is a link or belongs to someone else.
pub fn make_private(folder: &Path, root: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)?;
    own(root)
}

#[cfg(unix)]
fn own(folder: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    let metadata = fs::symlink_metadata(folder)?;
    if !metadata.is_dir() {
        return Err(io::Error::other("its folder is a link"));
    }
    if metadata.permissions().mode() & 0o777 != 0o700 {
        // Only its owner can do this; a folder of this mode that is another user's cannot be
        // written to.
        fs::set_permissions(folder, fs::Permissions::from_mode(0o700))?;
    }
    Ok(())
}

#[cfg(not(unix))]
fn own(_folder: &Path) -> io::Result<()> {
    Ok(())
}
