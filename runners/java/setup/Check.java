import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarFile;

/** Exits with 0 only where every library is there and whole, and protoc runs; prints their versions. */
public final class Check {
    /** One class of each library, and the start of its jar's name. */
    private static final String[][] LIBRARIES = {
        {"com.fasterxml.jackson.databind.ObjectMapper", "jackson-databind-2"},
        {"com.fasterxml.jackson.core.JsonFactory", "jackson-core-2"},
        {"com.fasterxml.jackson.annotation.JsonProperty", "jackson-annotations-"},
        {"com.fasterxml.jackson.datatype.jsr310.JavaTimeModule", "jackson-datatype-jsr310-"},
        {"tools.jackson.databind.ObjectMapper", "jackson-databind-3"},
        {"tools.jackson.core.JsonParser", "jackson-core-3"},
        {"com.google.gson.Gson", "gson-"},
        {"com.google.protobuf.Message", "protobuf-java-4"},
        {"com.google.protobuf.util.JsonFormat", "protobuf-java-util-"},
        {"org.springframework.boot.SpringApplication", "spring-boot-4"},
        {"org.springframework.boot.tomcat.TomcatWebServer", "spring-boot-tomcat-4"},
        {"org.springframework.web.servlet.DispatcherServlet", "spring-webmvc-7"},
        {"org.springframework.http.converter.HttpMessageConverter", "spring-web-7"},
        {"org.apache.catalina.startup.Tomcat", "tomcat-embed-core-"},
    };

    public static void main(String[] args) throws Exception {
        List<String> found = new ArrayList<>();
        for (String[] library : LIBRARIES) {
            Class<?> c = Class.forName(library[0], false, Check.class.getClassLoader());
            Path jar = Path.of(c.getProtectionDomain().getCodeSource().getLocation().toURI());
            String name = jar.getFileName().toString();
            if (!name.startsWith(library[1])) {
                throw new IllegalStateException(library[0] + " comes from " + name);
            }
            found.add(name.replaceFirst("\\.jar$", ""));
        }
        for (String entry : System.getProperty("java.class.path").split(":")) {
            if (entry.endsWith(".jar")) {
                new JarFile(entry).close(); // fails where the file was cut short
            }
        }
        found.add(run(args[0], "--version"));
        System.out.println(String.join(", ", found));
    }

    private static String run(String... command) throws Exception {
        Process p = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(p.getInputStream().readAllBytes()).strip();
        if (!p.waitFor(10, TimeUnit.SECONDS) || p.exitValue() != 0) {
            throw new IllegalStateException(Arrays.toString(command) + ": " + said);
        }
        return said;
    }
}
