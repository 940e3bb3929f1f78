package io.ensemble.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The messages of the script before it starts or builds anything. */
class LauncherTest {

  private static final Path SCRIPT = Path.of("..", "ensemble").toAbsolutePath().normalize();

  @TempDir Path directory;

  @BeforeEach
  void aSystemWithAShell() {
    assumeTrue(File.separatorChar == '/');
  }

  @Test
  void anOldJavaIsNamedWithItsVersion() throws Exception {
    Path java = java("JAVA_VERSION=\"11.0.2\"\n");

    CliResult ran = run(SCRIPT, Map.of("JAVA_HOME", java.toString()));

    assertThat(ran.code()).isEqualTo(1);
    assertThat(ran.out()).isEmpty();
    assertThat(ran.err())
        .isEqualTo(
            "ensemble: a JDK 17 or later is needed; found version 11: " + java + "/bin/java\n");
  }

  @Test
  void aJavaHomeWithoutJavaIsNamed() throws Exception {
    CliResult ran = run(SCRIPT, Map.of("JAVA_HOME", directory.toString()));

    assertThat(ran.code()).isEqualTo(1);
    assertThat(ran.err()).contains("JAVA_HOME has no bin/java: " + directory);
  }

  @Test
  void theRepositoryIsFoundThroughLinksFromElsewhere() throws Exception {
    Path java = java("JAVA_VERSION=\"17.0.1\"\n");
    Path root = copyOfLauncher();
    Path built = Files.createDirectories(root.resolve("ensemble-cli/target/quick"));
    Files.writeString(built.resolve("built"), "");
    Path first = Files.createSymbolicLink(directory.resolve("first"), Path.of("clone/ensemble"));
    Path second = Files.createSymbolicLink(directory.resolve("second"), first);

    CliResult ran = run(second, Map.of("JAVA_HOME", java.toString()), "get", "a b", "*");

    assertThat(ran.err()).isEmpty();
    assertThat(ran.out())
        .contains("-cp " + root.toRealPath() + "/ensemble-cli/target/quick/lib/ensemble-cli.jar")
        .contains("-XX:TieredStopAtLevel=1")
        .endsWith("io.ensemble.cli.Main get a b *\n");
    assertThat(run(second, Map.of("JAVA_HOME", java.toString()), "--json", "demo").out())
        .doesNotContain("TieredStopAtLevel");
    for (String service : List.of("up", "rest")) {
      assertThat(run(second, Map.of("JAVA_HOME", java.toString()), service).out())
          .doesNotContain("-Xmx256m")
          .contains("-XX:+ExitOnOutOfMemoryError");
    }
  }

  @Test
  void aProcessThatRunsKeepsItsLibrariesWhenOthersAreBuilt() throws Exception {
    Path java = java("JAVA_VERSION=\"17.0.1\"\n");
    executable(Files.writeString(java.resolve("bin/javac"), "#!/bin/sh\n"));
    Path root = copyOfLauncher();
    // A build that only makes directories.
    executable(
        Files.writeString(
            root.resolve("mvnw"),
            "#!/bin/sh\nmkdir -p ensemble-cli/target/quick/lib benchmarks/target/quick/lib\n"));
    Files.writeString(root.resolve("pom.xml"), "");
    Path cli = root.resolve("ensemble-cli/target/quick");
    Map<String, String> environment = Map.of("JAVA_HOME", java.toString());

    String first = library(run(root.resolve("ensemble"), environment, "up"));
    Process running = // The path in the command line of this process has no slash at its end.
        new ProcessBuilder("sh", "-c", "read end; : -Dx=" + cli.toRealPath() + "/" + first).start();
    String second = rebuilt(root, environment);
    String third = rebuilt(root, environment);
    assertThat(List.of(first, second, third)).doesNotHaveDuplicates();
    assertThat(cli.resolve(first)).as("in use").isDirectory();
    assertThat(cli.resolve(second)).as("the one before").isDirectory();
    running.getOutputStream().close();
    running.waitFor();
    String fourth = rebuilt(root, environment);

    assertThat(cli.resolve(fourth)).isDirectory();
    assertThat(cli.resolve(third)).isDirectory();
    assertThat(cli.resolve(first)).doesNotExist();
    assertThat(cli.resolve(second)).doesNotExist();
  }

  private String rebuilt(Path root, Map<String, String> environment) throws Exception {
    Files.delete(root.resolve("ensemble-cli/target/quick/built"));
    return library(run(root.resolve("ensemble"), environment, "up"));
  }

  private static String library(CliResult ran) {
    assertThat(ran.code()).as(ran.err()).isZero();
    return ran.out().replaceAll("(?s).*/(lib[^/]*)/ensemble-cli.jar.*", "$1");
  }

  /** A clone that has only the script, and what it reads. */
  private Path copyOfLauncher() throws IOException {
    Path root = Files.createDirectories(directory.resolve("clone"));
    Files.copy(SCRIPT, root.resolve("ensemble"));
    executable(root.resolve("ensemble"));
    String part = "deploy/src/main/launcher/launch.sh";
    Files.createDirectories(root.resolve(part).getParent());
    Files.copy(SCRIPT.resolveSibling(part), root.resolve(part));
    return root;
  }

  /** A Java that only prints its arguments. */
  private Path java(String release) throws IOException {
    Path home = directory.resolve("jdk");
    Path bin = Files.createDirectories(home.resolve("bin"));
    Files.writeString(home.resolve("release"), release);
    executable(Files.writeString(bin.resolve("java"), "#!/bin/sh\necho \"$@\"\n"));
    return home;
  }

  private static void executable(Path file) throws IOException {
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
  }

  private CliResult run(Path script, Map<String, String> environment, String... arguments)
      throws IOException, InterruptedException {
    ProcessBuilder builder = new ProcessBuilder(script.toString());
    builder.command().addAll(List.of(arguments));
    builder.directory(directory.toFile());
    builder.environment().putAll(environment);
    Path errors = directory.resolve("stderr");
    builder.redirectError(errors.toFile());
    Process process = builder.start();
    String out = new String(process.getInputStream().readAllBytes(), UTF_8);
    return new CliResult(process.waitFor(), out, Files.readString(errors));
  }
}
