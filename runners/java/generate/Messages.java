package generate;

import com.google.protobuf.DescriptorProtos.DescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumDescriptorProto;
import com.google.protobuf.DescriptorProtos.EnumValueDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorProto;
import com.google.protobuf.DescriptorProtos.FileDescriptorSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.lang.model.SourceVersion;

/** Makes the Protobuf messages in pb/, if a codec needs them. */
final class Messages {
    /** What protoc reads. */
    private static final String SET = "set-java.binpb";

    private Messages() {}

    static void make(String protoc) throws IOException, InterruptedException {
        List<String> needing = new ArrayList<>(); // codecs that need messages
        List<String> protoJson = new ArrayList<>(); // those of them that need the JSON names of enums' values
        for (String line : Files.readAllLines(Path.of("generate", "codecs.txt"))) {
            String[] words = line.split(" ");
            if (words.length == 2 && !words[1].equals("json")) {
                needing.add(words[0]);
            }
            if (words.length == 2 && words[1].equals("protojson")) {
                protoJson.add(words[0]);
            }
        }
        if (needing.isEmpty()) {
            return;
        }
        FileDescriptorSet set = read(protoJson.isEmpty() ? "set.binpb" : "set-protojson.binpb");
        if (!protoJson.isEmpty() && drops(protoJson, keyword(set))) {
            return; // the build starts again without them
        }
        List<String> command = new ArrayList<>(List.of(protoc, "--descriptor_set_in=" + SET, "--java_out=."));
        write(set, command);
        drops(needing, run(command));
    }

    private static FileDescriptorSet read(String file) throws IOException {
        return FileDescriptorSet.parseFrom(Files.readAllBytes(Path.of(file)));
    }

    /** Gives codecs up, for a reason that is not null. */
    private static boolean drops(List<String> codecs, String reason) {
        if (reason != null) {
            codecs.forEach(c -> System.out.println("wirecost:drop " + c + " " + reason));
        }
        return reason != null;
    }

    private static boolean isOurs(FileDescriptorProto f) {
        return !f.getName().startsWith("google/protobuf/");
    }

    /** Finds an enum's value that Java cannot name. protoc writes its name as it is. */
    private static String keyword(FileDescriptorSet set) {
        for (FileDescriptorProto f : set.getFileList()) {
            for (DescriptorProto scope : f.getMessageTypeList()) {
                for (EnumDescriptorProto e : isOurs(f) ? scope.getEnumTypeList() : List.<EnumDescriptorProto>of()) {
                    for (EnumValueDescriptorProto v : e.getValueList()) {
                        if (SourceVersion.isKeyword(v.getName())) {
                            return "the enum " + e.getName() + " has the value \"" + v.getName() + "\", a keyword of Java, so protoc's code does not compile";
                        }
                    }
                }
            }
        }
        return null;
    }

    /** Writes what protoc reads, and adds the files of the schema to its command; google's come with the library. */
    private static void write(FileDescriptorSet set, List<String> command) throws IOException {
        FileDescriptorSet.Builder b = FileDescriptorSet.newBuilder();
        for (FileDescriptorProto f : set.getFileList()) {
            b.addFile(isOurs(f) ? Renaming.file(f) : f);
            if (isOurs(f)) {
                command.add(f.getName());
            }
        }
        Files.write(Path.of(SET), b.build().toByteArray());
    }

    /** Runs protoc, and gives what it says where it fails. */
    private static String run(List<String> command) throws IOException, InterruptedException {
        Process p = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(p.getInputStream().readAllBytes()).strip();
        return p.waitFor() == 0 ? null : "protoc: " + said.replaceAll("\\s*\\R\\s*", "; ");
    }
}
