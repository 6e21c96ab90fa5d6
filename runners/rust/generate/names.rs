//! Names in the descriptor set that no library's naming rules change, so that the
//! templates know them: message i of the model becomes M<i>, a field
//! f<number>, a oneof o<number of its first field>. The wire format has no names.

use std::collections::HashMap;

use buffa_descriptor::generated::descriptor::feature_set::FieldPresence;
use buffa_descriptor::generated::descriptor::field_descriptor_proto::Label;
use buffa_descriptor::generated::descriptor::{DescriptorProto, FieldDescriptorProto, FileDescriptorProto, FileDescriptorSet};

const PACKAGE: &str = "wirecost_types";

/// Whether a file is made from the user's schema.
pub fn ours(file: &FileDescriptorProto) -> bool {
    file.package.as_deref() == Some(PACKAGE)
}

/// Renames all messages, which are listed one per line in the model's order.
pub fn rename(set: &mut FileDescriptorSet, messages: &str) {
    let names: HashMap<&str, String> = messages.split_whitespace().enumerate().map(|(i, id)| (id, format!("M{i}"))).collect();
    for file in set.file.iter_mut().filter(|f| ours(f)) {
        for message in &mut file.message_type {
            rename_fields(message, &names);
            if let Some(name) = message.name.as_deref().and_then(|id| names.get(id)) {
                message.name = Some(name.clone());
            }
        }
    }
}

fn rename_fields(message: &mut DescriptorProto, names: &HashMap<&str, String>) {
    for (i, oneof) in message.oneof_decl.iter_mut().enumerate() {
        let first = message.field.iter().find(|f| f.oneof_index == Some(i as i32));
        if let Some(number) = first.filter(|f| f.proto3_optional != Some(true)).and_then(|f| f.number) {
            oneof.name = Some(format!("o{number}"));
        }
    }
    for field in &mut message.field {
        field.name = field.number.map(|n| format!("f{n}"));
        field.type_name = field.type_name.take().map(|name| renamed(name, names));
        make_optional(field);
    }
    for entry in &mut message.nested_type {
        for field in &mut entry.field {
            field.type_name = field.type_name.take().map(|name| renamed(name, names));
        }
    }
}

/// A required field becomes an optional one: documents have it, so the bytes are the
/// same, and the templates need not know.
fn make_optional(field: &mut FieldDescriptorProto) {
    if field.label == Some(Label::LABEL_REQUIRED) {
        field.label = Some(Label::LABEL_OPTIONAL);
    }
    let features = field.options.as_option_mut().and_then(|o| o.features.as_option_mut());
    if let Some(features) = features.filter(|f| f.field_presence == Some(FieldPresence::LEGACY_REQUIRED)) {
        features.field_presence = Some(FieldPresence::EXPLICIT);
    }
}

/// The new name of a type: ".wirecost_types.Order_" or ".wirecost_types.Order_.LinesEntry".
fn renamed(name: String, names: &HashMap<&str, String>) -> String {
    let Some(rest) = name.strip_prefix(".wirecost_types.") else { return name };
    let (id, inner) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
    match names.get(id) {
        Some(new) => format!(".{PACKAGE}.{new}{inner}"),
        None => name,
    }
}
