//! Listing a place, or giving what was kept of its last listing when it cannot be reached.

use std::time::{Duration, SystemTime};

use crate::address::{Address, Scheme};
use crate::cache::{self, KeptListing};
use crate::error::{CHECK_PATH, RemoteError, RemoteErrorKind};
use crate::object::{Interest, Listing, Offline};
use crate::{network, ssh};

/// The files at or below a URL. Where the place cannot be reached, those of its last listing, and
/// [`Listing::offline`] says so.
///
/// # Errors
///
/// Whatever the other side says; [`RemoteErrorKind::NotFound`] where nothing is there.
pub fn list(url: &str, interest: &Interest) -> Result<Listing, RemoteError> {
    let address = Address::parse(url)?;
    let listed = if address.scheme == Scheme::Machine {
        ssh::list(&address, interest)
    } else {
        network::list(&address, interest)
    };
    match listed {
        Ok(listing) if listing.objects.is_empty() => {
            let message = "nothing was found: no object name begins with this path";
            Err(
                RemoteError::new(RemoteErrorKind::NotFound, &address.url, message)
                    .with_hint(CHECK_PATH),
            )
        }
        Ok(listing) => {
            keep(&address, &listing, interest);
            Ok(listing)
        }
        Err(error) if error.is_out_of_reach() => kept(&address, &error).ok_or(error),
        Err(error) => Err(error),
    }
}

fn keep(address: &Address, listing: &Listing, interest: &Interest) {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let last = |name: &str| name.rsplit('/').next().is_some_and(interest.file);
    let objects = listing.objects.iter();
    let objects = objects.filter(|object| listing.is_file || last(&object.name));
    let listed_epoch_s = now.map_or(0, |since| since.as_secs());
    let (url, is_file) = (&address.url, listing.is_file);
    cache::keep_listing(&KeptListing::of(
        url,
        is_file,
        listed_epoch_s,
        objects.cloned(),
    ));
}

fn kept(address: &Address, error: &RemoteError) -> Option<Listing> {
    let kept = cache::kept_listing(&address.url)?;
    let listed = SystemTime::UNIX_EPOCH + Duration::from_secs(kept.listed_epoch_s);
    Some(Listing {
        objects: kept.objects,
        is_file: kept.is_file,
        cut: None,
        offline: Some(Offline {
            listed,
            reason: error.message.clone(),
        }),
    })
}
