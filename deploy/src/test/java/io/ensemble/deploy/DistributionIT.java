package io.ensemble.deploy;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The archive, unpacked into a directory whose name has a space, in an environment that has nothing
 * but a Java and an empty home.
 */
class DistributionIT {

  private static final String VERSION = System.getProperty("ensemble.version");
  private static final Path TARGET = Path.of(System.getProperty("ensemble.distribution"));
  private static final String PATH = "/usr/bin:/bin";

  @TempDir static Path directory;

  private static Path installed;
  private static Path link;

  @BeforeAll
  static void unpack() throws Exception {
    assumeThat(File.separatorChar).isEqualTo('/');
    Path to = Files.createDirectories(directory.resolve("a place"));
    Files.createDirectories(directory.resolve("home"));
    Path archive = TARGET.resolve("ensemble-" + VERSION + ".tar.gz");
    ShellResult.of(
            directory,
            Map.of("PATH", PATH),
            List.of("tar", "-xzf", archive.toString(), "-C", to.toString()))
        .succeeded();
    installed = to.resolve("ensemble-" + VERSION);
    link =
        Files.createSymbolicLink(directory.resolve("ensemble"), installed.resolve("bin/ensemble"));
  }

  @Test
  void theArchiveHasEachJarOnceAndNoTests() throws IOException {
    List<String> jars;
    try (Stream<Path> files = Files.list(installed.resolve("lib"))) {
      jars =
          files.map(one -> one.getFileName().toString()).filter(n -> n.endsWith(".jar")).toList();
    }

    assertThat(jars)
        .hasSizeGreaterThan(200)
        .contains("ensemble-cli.jar", "ensemble-benchmarks.jar", "ensemble-site-process.jar")
        .noneMatch(name -> name.contains("-tests") || name.startsWith("junit"));
    assertThat(List.of("LICENSE", "NOTICE", "README.md", "docs/installation.md", "docs/cli.md"))
        .allMatch(name -> Files.isRegularFile(installed.resolve(name)));
  }

  @Test
  void theVersionIsThatOfTheBuild() throws Exception {
    assertThat(ensemble("--version").succeeded().out()).startsWith("ensemble " + VERSION + "\n");
  }

  @Test
  void helpManualPageAndCompletionNameACommand() throws Exception {
    assertThat(ensemble("caches", "--help").succeeded().out()).contains("create");
    assertThat(Files.readString(installed.resolve("share/man/man1/ensemble-caches-create.1")))
        .contains(".SH SYNOPSIS", "ensemble " + VERSION.replace("-", "\\-"));
    Path completion = installed.resolve("share/bash-completion/completions/ensemble");
    assertThat(
            ShellResult.of(
                    directory,
                    Map.of("PATH", PATH),
                    List.of("bash", "-c", ". \"$1\" && complete -p ensemble", "-", "" + completion))
                .succeeded()
                .out())
        .contains("-F _complete_ensemble");
  }

  @Test
  void withoutAJavaTheMessageSaysWhatIsNeeded() throws Exception {
    Path empty = Files.createDirectories(directory.resolve("no java"));
    ShellResult ran =
        ShellResult.of(
            directory,
            Map.of("PATH", PATH, "JAVA_HOME", empty.toString()),
            List.of(link.toString(), "--version"));

    assertThat(ran.code()).isEqualTo(1);
    assertThat(ran.err())
        .isEqualTo(
            "ensemble: a Java runtime 17 or later is needed; JAVA_HOME has no bin/java: "
                + empty
                + "\n");
  }

  @Test
  @Timeout(300)
  void aFederationOfServersRunsWithoutABuild() throws Exception {
    ProcessBuilder builder =
        new ProcessBuilder(
                command("up", "--processes", "--sites", "1", "--nodes", "1", "--rest-port", "0"))
            .redirectError(ProcessBuilder.Redirect.INHERIT);
    builder.environment().clear();
    builder.environment().putAll(environment());
    Process up = builder.start();
    try (BufferedReader out = up.inputReader(UTF_8)) {
      assertThat(out.lines().anyMatch(line -> line.startsWith("up: "))).isTrue();

      ensemble("caches", "create", "stock", "--mode", "mwmr", "--deadline", "60s").succeeded();
      ensemble("put", "stock", "bolt", "5", "--deadline", "60s").succeeded();

      assertThat(ensemble("get", "stock", "bolt", "--deadline", "60s").succeeded().out())
          .contains("5");
    } finally {
      up.destroy();
      assertThat(up.waitFor(60, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(installed.resolve("lib")).isDirectoryNotContaining("glob:**.jsa*");
  }

  private static ShellResult ensemble(String... arguments) throws Exception {
    return ShellResult.of(directory, environment(), command(arguments));
  }

  private static List<String> command(String... arguments) {
    List<String> command = new ArrayList<>(List.of(link.toString()));
    command.addAll(List.of(arguments));
    return command;
  }

  private static Map<String, String> environment() {
    return Map.of(
        "PATH", PATH,
        "HOME", directory.resolve("home").toString(),
        "JAVA_HOME", System.getProperty("java.home"),
        "JDK_JAVA_OPTIONS", "-XX:TieredStopAtLevel=1",
        "ENSEMBLE_FEDERATION", directory.resolve("federation.json").toString());
  }
}
