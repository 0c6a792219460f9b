//! What the C functions answer, asked as XLA asks.

use std::cell::RefCell;
use std::ffi::CStr;
use std::ptr::null_mut;

use cyxla_ffi::CallFrame;
use cyxla_pjrt_sys::xla_ffi::{XLA_FFI_Args, XLA_FFI_Attrs, XLA_FFI_Rets};

use super::*;

fn api(minor: i32) -> XLA_FFI_Api {
    let mut api = XLA_FFI_Api::new();
    api.api_version.minor_version = minor;
    api.XLA_FFI_Error_Create = Some(create_error);
    api
}

fn metadata() -> XLA_FFI_Metadata {
    XLA_FFI_Metadata {
        struct_size: XLA_FFI_Metadata::STRUCT_SIZE,
        api_version: sys::XLA_FFI_Api_Version::new(),
        traits: 7,
    }
}

fn extension(type_: i32, metadata: &mut XLA_FFI_Metadata) -> XLA_FFI_Metadata_Extension {
    XLA_FFI_Metadata_Extension {
        extension_base: XLA_FFI_Extension_Base {
            struct_size: size_of::<XLA_FFI_Metadata_Extension>(),
            type_,
            next: null_mut(),
        },
        metadata,
    }
}

fn frame(api: &XLA_FFI_Api) -> XLA_FFI_CallFrame {
    XLA_FFI_CallFrame {
        api,
        stage: sys::XLA_FFI_ExecutionStage_EXECUTE,
        args: XLA_FFI_Args::new(),
        rets: XLA_FFI_Rets::new(),
        attrs: XLA_FFI_Attrs::new(),
        ..XLA_FFI_CallFrame::new()
    }
}

thread_local! {
    static CREATED: RefCell<Vec<(String, i32)>> = const { RefCell::new(Vec::new()) };
}

unsafe extern "C" fn create_error(args: *mut XLA_FFI_Error_Create_Args) -> *mut XLA_FFI_Error {
    // SAFETY: called by `report` with arguments of this type.
    let (message, code) = unsafe { (CStr::from_ptr((*args).message), (*args).errc) };
    let message = message.to_str().unwrap().to_owned();
    CREATED.with_borrow_mut(|created| created.push((message, code)));
    std::ptr::dangling_mut()
}

/// The minor version that is answered to a plugin with this one.
fn answered(theirs: i32) -> (i32, i32) {
    let api = api(theirs);
    let mut metadata = metadata();
    let mut extension = extension(sys::XLA_FFI_Extension_Metadata, &mut metadata);
    let mut frame = frame(&api);
    frame.extension_start = (&raw mut extension).cast();
    // SAFETY: everything is in place.
    assert!(unsafe { answer(&raw mut frame, PLACES) }.is_null());
    assert_eq!(metadata.traits, 0);
    (
        metadata.api_version.major_version,
        metadata.api_version.minor_version,
    )
}

#[test]
fn the_older_version_of_both_is_answered() {
    assert_eq!(answered(1), (0, 1));
    assert_eq!(answered(2), (0, 2));
    assert_eq!(answered(3), (0, 3));
    assert_eq!(answered(4), (0, 3));
}

#[test]
fn metadata_with_less_room_is_left_alone() {
    let api = api(2);
    let mut metadata = metadata();
    metadata.struct_size = XLA_FFI_Metadata::STRUCT_SIZE - 1;
    let mut extension = extension(sys::XLA_FFI_Extension_Metadata, &mut metadata);
    let mut frame = frame(&api);
    frame.extension_start = (&raw mut extension).cast();
    // SAFETY: everything is in place.
    assert!(unsafe { answer(&raw mut frame, PLACES) }.is_null());
    assert_eq!(
        (metadata.api_version.minor_version, metadata.traits),
        (0, 7)
    );
}

#[test]
fn a_question_behind_another_extension_is_answered() {
    let api = api(2);
    let mut metadata = metadata();
    let mut question = extension(sys::XLA_FFI_Extension_Metadata, &mut metadata);
    let mut other = XLA_FFI_Extension_Base {
        struct_size: size_of::<XLA_FFI_Extension_Base>(),
        type_: 99,
        next: (&raw mut question).cast(),
    };
    let mut frame = frame(&api);
    frame.extension_start = &raw mut other;
    // SAFETY: everything is in place.
    assert!(unsafe { answer(&raw mut frame, PLACES) }.is_null());
    assert_eq!(metadata.api_version.minor_version, 2);
}

#[test]
fn a_chain_that_ends_nowhere_is_left() {
    let api = api(2);
    let mut link = XLA_FFI_Extension_Base {
        struct_size: size_of::<XLA_FFI_Extension_Base>(),
        type_: 99,
        next: null_mut(),
    };
    link.next = &raw mut link;
    let mut frame = frame(&api);
    frame.extension_start = link.next;
    // SAFETY: everything is in place; there is no handler in that place, which is an error.
    assert!(!unsafe { answer(&raw mut frame, PLACES) }.is_null());
}

#[test]
fn errors_are_made_by_the_table_of_the_call() {
    static HANDLER: fn(&mut CallFrame<'_>) -> Result<(), Error> =
        |_| Err(Error::new(ErrorCode::DataLoss, "the tape is torn"));
    let last = PLACES - 1;
    place(last, "torn", &HANDLER).unwrap();
    let api = api(2);
    let mut frame = frame(&api);
    // SAFETY: everything is in place.
    assert!(!unsafe { answer(&raw mut frame, last) }.is_null());
    let created = CREATED.take();
    let expected = "the custom call `torn` failed: the tape is torn".to_owned();
    assert_eq!(created, [(expected, 15)]);
    // Nobody else gets the place.
    assert!(place(last, "again", &HANDLER).is_none());
    assert!(place(PLACES, "beyond", &HANDLER).is_none());
}
