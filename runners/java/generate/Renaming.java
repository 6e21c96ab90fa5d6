package generate;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.Edition;
import com.google.protobuf.DescriptorProtos.FieldDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import java.util.HashMap;
import java.util.Map;

/**
 * Names fields by their numbers, as f_12, and asks for a file per class. What a generated accessor is called depends
 * on all names of a message: items and items_count both want getItemsCount. Numbers never meet, so
 * the visitors can be written without knowing protoc's rules. JSON names stay what they were.
 */
final class Renaming {
    private Renaming() {}

    static FileDescriptorProto file(FileDescriptorProto file) {
        FileDescriptorProto.Builder b = file.toBuilder();
        b.getOptionsBuilder().setJavaPackage("pb");
        if (file.getEdition().getNumber() < Edition.EDITION_2024.getNumber()) { // later ones always do so
            b.getOptionsBuilder().setJavaMultipleFiles(true);
        }
        b.getMessageTypeBuilderList().forEach(Renaming::message);
        return b.build();
    }

    private static void message(DescriptorProto.Builder m) {
        for (int i = 0; i < m.getOneofDeclCount(); i++) {
            m.getOneofDeclBuilder(i).setName("o_" + i);
        }
        Map<String, String> entries = new HashMap<>(); // of maps, by their old names
        for (FieldDescriptorProto.Builder f : m.getFieldBuilderList()) {
            String name = "f_" + f.getNumber();
            entries.put(entryName(f.getName()), entryName(name));
            if (!f.hasJsonName()) {
                f.setJsonName(jsonName(f.getName()));
            }
            f.setName(name);
            if (f.getProto3Optional()) {
                m.getOneofDeclBuilder(f.getOneofIndex()).setName("_" + name);
            }
        }
        for (DescriptorProto.Builder nested : m.getNestedTypeBuilderList()) {
            if (nested.getOptions().getMapEntry()) {
                rename(m, nested, entries.get(nested.getName()));
            }
        }
    }

    private static void rename(DescriptorProto.Builder m, DescriptorProto.Builder entry, String name) {
        String scope = "." + m.getName() + ".";
        for (FieldDescriptorProto.Builder f : m.getFieldBuilderList()) {
            if (f.getTypeName().endsWith(scope + entry.getName())) {
                f.setTypeName(f.getTypeName().replaceFirst("[^.]*$", name));
            }
        }
        entry.setName(name);
    }

    /** The name that Protobuf prescribes for a map's entry type. */
    private static String entryName(String field) {
        return camel(field, true) + "Entry";
    }

    /** The JSON name of a field that has none of its own. */
    private static String jsonName(String field) {
        return camel(field, false);
    }

    private static String camel(String name, boolean raise) {
        StringBuilder b = new StringBuilder();
        for (char c : name.toCharArray()) {
            if (c != '_') {
                b.append(raise && c >= 'a' && c <= 'z' ? (char) (c - 'a' + 'A') : c);
            }
            raise = c == '_';
        }
        return b.toString();
    }
}
