package io.ensemble.deploy;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Compose file, its configuration, the image and the Helm chart agree. */
class ContainerFilesTest {

  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path COMPOSE = ROOT.resolve("deploy/compose");
  private static final int LEAST_TOKEN = 32;

  @TempDir Path directory;

  @Test
  void theImagesAreThoseOfTheHelmChart() throws IOException {
    String values = Files.readString(ROOT.resolve("deploy/helm/ensemble/values.yaml"));
    Set<String> ofChart =
        found(values, "repository: (\\S+)\\n +tag: ([0-9]\\S*)")
            .map(image -> image.group(1) + ":" + image.group(2))
            .collect(Collectors.toSet());

    assertThat(ofChart).hasSize(2);
    assertThat(compose().lines().map(String::strip))
        .containsAll(ofChart.stream().map(image -> "image: " + image).toList());
  }

  @Test
  void theUserAndTheCommandAreThoseOfTheHelmChart() throws IOException {
    String values = Files.readString(ROOT.resolve("deploy/helm/ensemble/values.yaml"));
    String image = Files.readString(ROOT.resolve("ensemble-cli/pom.xml"));
    String user = first(image, "<user>(\\d+):\\1</user>");
    Path command =
        ROOT.resolve("ensemble-cli/src/main/jib/usr/local/bin")
            .resolve(first(values, "\\n  command: \\[(\\w+)]"));

    assertThat(first(values, "\\npodSecurityContext:\\n.*\\n  runAsUser: (\\d+)")).isEqualTo(user);
    assertThat(command).isExecutable();
    assertThat(Files.readString(command)).contains("io.ensemble.cli.Main", "ENSEMBLE_JAVA_OPTS");
    assertThat(image).contains("<mainClass>io.ensemble.cli.Main</mainClass>");
  }

  @Test
  void eachNodeIsRegisteredByAnAddressOfItsOwn() throws IOException {
    Map<String, Set<String>> nodes = new TreeMap<>();
    found(compose(), "\\n  ([a-z]+)-(\\d):\\n")
        .forEach(
            node ->
                nodes
                    .computeIfAbsent(node.group(1), site -> new TreeSet<>())
                    .add(node.group(1) + "-" + node.group(2) + ":11222"));
    Map<String, Set<String>> registered = new TreeMap<>();
    found(compose(), "\\[sites, add, (\\w+), --if-absent, \"--endpoints=([^\"]+)\"")
        .forEach(
            site ->
                registered.put(
                    site.group(1), new TreeSet<>(List.of(site.group(2).split(",", -1)))));

    assertThat(registered).isEqualTo(nodes).hasSize(3);
    assertThat(registered.values()).allMatch(endpoints -> endpoints.size() == 3);
  }

  @Test
  void eachMountedFileExistsOrIsASecretThatTheScriptWrites() throws Exception {
    Map<String, String> written = newSecrets();
    List<String> mounted = found(compose(), "- (\\.[^:]+):/").map(mount -> mount.group(1)).toList();

    assertThat(mounted).hasSizeGreaterThan(8);
    assertThat(mounted)
        .allMatch(
            file ->
                Files.isRegularFile(COMPOSE.resolve(file))
                    || written.containsKey(file.replaceFirst("^\\./", "")));
  }

  @Test
  void eachSecretIsRandomAndKeptAndForItsOwnerOnly() throws Exception {
    Map<String, String> first = newSecrets();
    Properties variables = new Properties();
    variables.load(Files.newBufferedReader(directory.resolve("compose/.env")));
    Properties example = new Properties();
    example.load(Files.newBufferedReader(COMPOSE.resolve(".env.example")));
    Set<String> read =
        found(compose(), "\\$\\{(\\w+):\\?").map(name -> name.group(1)).collect(Collectors.toSet());

    assertThat(variables.keySet()).isEqualTo(read).isEqualTo(example.keySet());
    assertThat(example.values()).containsOnly("");
    assertThat(Set.copyOf(variables.values()))
        .hasSize(read.size())
        .allMatch(secret -> secret.toString().length() >= LEAST_TOKEN);
    assertThat(first)
        .containsEntry("secrets/metrics-token", variables.getProperty("METRICS_TOKEN"))
        .containsEntry(
            "secrets/users.properties",
            "ensemble=" + variables.getProperty("SITE_PASSWORD") + "\n");
    assertThat(permissions(".env")).isEqualTo("rw-------");
    assertThat(permissions("secrets")).isEqualTo("rwx------");
    assertThat(newSecrets()).as("a second run").isEqualTo(first);
  }

  @Test
  void portsArePublishedOnThisMachineOnly() throws IOException {
    assertThat(found(compose(), "ports: \\[\"([^\"]+)\"").map(port -> port.group(1)))
        .hasSize(3)
        .allMatch(port -> port.startsWith("127.0.0.1:"));
  }

  /** Runs the script in a copy of its directory, and returns the files that it wrote. */
  private Map<String, String> newSecrets() throws IOException, InterruptedException {
    assumeThat(File.separatorChar).isEqualTo('/');
    Path copy = Files.createDirectories(directory.resolve("compose"));
    Path script = copy.resolve("new-secrets");
    Files.copy(
        COMPOSE.resolve("new-secrets"),
        script,
        StandardCopyOption.COPY_ATTRIBUTES,
        StandardCopyOption.REPLACE_EXISTING);
    ShellResult.of(directory, Map.of("PATH", "/usr/bin:/bin"), List.of(script.toString()))
        .succeeded();
    Map<String, String> written = new TreeMap<>();
    try (Stream<Path> files = Files.walk(copy)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        written.put(copy.relativize(file).toString(), Files.readString(file));
      }
    }
    return written;
  }

  private String permissions(String file) throws IOException {
    return PosixFilePermissions.toString(
        Files.getPosixFilePermissions(directory.resolve("compose").resolve(file)));
  }

  private static String compose() throws IOException {
    return Files.readString(COMPOSE.resolve("compose.yaml"));
  }

  private static Stream<MatchResult> found(String text, String pattern) {
    return Pattern.compile(pattern).matcher(text).results();
  }

  private static String first(String text, String pattern) {
    return found(text, pattern).findFirst().orElseThrow().group(1);
  }
}
