package generate;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Makes what is built besides the templates. It runs in the build's own folder: Main HOME. */
public final class Main {
    public static void main(String[] args) throws IOException, InterruptedException {
        writeClassPath(args[0]);
        Messages.make(args[0] + "/protoc");
    }

    /**
     * Writes an argument file with all libraries of the folders that libraries.txt names. javac wants each by its name
     * there.
     */
    private static void writeClassPath(String home) throws IOException {
        StringBuilder path = new StringBuilder("classes");
        for (String folder : Files.readAllLines(Path.of("generate", "libraries.txt"))) {
            if (!folder.isBlank()) {
                for (Path jar : jars(Path.of(home, folder.strip()))) {
                    path.append(File.pathSeparatorChar).append(jar);
                }
            }
        }
        String quoted = path.toString().replace("\\", "\\\\").replace("\"", "\\\"");
        Files.writeString(Path.of("classpath.options"), "-cp \"" + quoted + "\"\n");
    }

    private static List<Path> jars(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.filter(f -> f.toString().endsWith(".jar")).sorted().toList();
        }
    }
}
