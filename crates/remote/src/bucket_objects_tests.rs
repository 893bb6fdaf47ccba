//! Objects in memory, and a store that refuses.

use object_store::memory::InMemory;
use object_store::{ObjectStoreExt as _, PutPayload};
use tokio::runtime::Builder;

use super::*;
use crate::status::{Credentials, Service};

fn waited<T>(future: impl Future<Output = T>) -> T {
    let runtime = Builder::new_current_thread().build().expect("a runtime");
    runtime.block_on(future)
}

fn bucket(store: InMemory) -> Bucket {
    let from = Credentials::From("AWS_ACCESS_KEY_ID".to_owned());
    Bucket::new(store, Service::Amazon, from)
}

fn names(stored: &[Stored]) -> Vec<&str> {
    stored.iter().map(|one| one.name.as_str()).collect()
}

#[test]
fn what_is_written_is_listed_read_and_deleted() {
    waited(async {
        let store = InMemory::new();
        // What others have next to the folder is none of it.
        for other in ["team/catalog-2/lists/c", "team/other"] {
            let (name, text) = (other.into(), PutPayload::from_static(b"other"));
            store.put(&name, text).await.expect("memory");
        }
        let bucket = bucket(store);
        let folder = Address::parse("s3://lab/team/catalog").expect("a URL");
        assert_eq!(
            bucket.stored(&folder, "lists").await.expect("a listing"),
            []
        );
        let put = |name: &'static str, text: &'static str| {
            bucket.put(&folder, name, Bytes::from_static(text.as_bytes()))
        };
        let version = put("lists/b", "two").await.expect("memory");
        put("lists/a", "one").await.expect("memory");
        put("roll-ups/a", "three").await.expect("memory");
        let listed = bucket.stored(&folder, "lists").await.expect("a listing");
        assert_eq!(names(&listed), ["lists/a", "lists/b"]);
        assert_eq!((listed[1].size_bytes, &listed[1].version), (3, &version));
        assert!(!version.is_empty());
        let all = bucket.stored(&folder, "").await.expect("a listing");
        assert_eq!(names(&all), ["lists/a", "lists/b", "roll-ups/a"]);

        let wanted = ["lists/b", "lists/none", "roll-ups/a"].map(str::to_owned);
        let read = bucket.whole(&folder, &wanted, 3).await;
        let two = read[0]
            .as_ref()
            .expect("an answer")
            .as_ref()
            .expect("there");
        assert_eq!((&two.bytes[..], &two.version), (&b"two"[..], &version));
        assert_eq!(read[1].as_ref().expect("an answer"), &None);
        let error = read[2].as_ref().expect_err("five bytes");
        assert!(error.message.contains("more than 3 bytes"), "{error}");

        // Written again, it is another version.
        assert_ne!(put("lists/b", "new").await.expect("memory"), version);
        bucket
            .delete(&folder, &wanted)
            .await
            .expect("one is not there");
        let all = bucket.stored(&folder, "").await.expect("a listing");
        assert_eq!(names(&all), ["lists/a"]);
        let root = Address::parse("s3://lab").expect("a URL");
        assert_eq!(bucket.stored(&root, "").await.expect("all").len(), 3);
    });
}

#[test]
fn a_refusal_names_the_permission_and_the_bucket() {
    let bucket = bucket(InMemory::new());
    let folder = Address::parse("s3://lab/catalog").expect("a URL");
    let denied = || object_store::Error::PermissionDenied {
        path: "catalog/x".to_owned(),
        source: "<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>".into(),
    };
    let error = bucket.refusal(&denied(), Deed::Write, &folder, "s3://lab/catalog/x");
    assert_eq!(
        error.to_string(),
        "the credentials from AWS_ACCESS_KEY_ID do not allow writing to bucket lab (HTTP 403, \
         Access Denied): s3://lab/catalog/x"
    );
    assert!(error.hint.contains("s3:PutObject"), "{}", error.hint);
    // One of many: the answer as a whole is a success.
    let one = object_store::Error::Generic {
        store: "S3",
        source: "DeleteObjects request failed for key x: Access Denied (code: AccessDenied)".into(),
    };
    let error = bucket.refusal(&one, Deed::Delete, &folder, &folder.url);
    assert!(
        error.message.contains("deleting from bucket lab"),
        "{error}"
    );
    assert!(error.hint.contains("s3:DeleteObject"), "{}", error.hint);
}
