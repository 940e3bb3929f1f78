package io.ensemble.deploy;

import static java.nio.file.StandardCopyOption.COPY_ATTRIBUTES;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The scripts and units: by the tools that their authors use, and run with other commands. */
class PackagingLintTest {

  /** Of 10: systemd calls it OK up to 5. A higher number means that a setting was lost. */
  private static final double HIGHEST_EXPOSURE = 2.0;

  private static final Path MAIN = Path.of("src", "main").toAbsolutePath();
  private static final Path ROOT = MAIN.resolve("../../..").normalize();
  private static final Map<String, String> ENVIRONMENT = Map.of("PATH", "/usr/bin:/bin");
  private static final Pattern EXPOSURE =
      Pattern.compile("Overall exposure level for \\S+: ([0-9.]+)");

  @TempDir Path directory;

  @Test
  void shellcheckFindsNothing() throws Exception {
    Path tool = Path.of("/usr/bin/shellcheck");
    require(tool);
    List<String> command =
        new ArrayList<>(List.of(tool.toString(), "-x", "-s", "sh", "-P", ROOT.toString()));
    command.add(ROOT.resolve("ensemble").toString());
    command.add(ROOT.resolve("deploy/src/test/sh/package-session").toString());
    command.add(ROOT.resolve("deploy/src/test/sh/service-session").toString());
    command.add(ROOT.resolve("deploy/src/test/sh/image-session").toString());
    command.add(ROOT.resolve("deploy/images/make-base").toString());
    command.add(ROOT.resolve("deploy/compose/new-secrets").toString());
    command.add(ROOT.resolve("ensemble-cli/src/main/jib/usr/local/bin/ensemble").toString());
    for (String name : List.of("ensemble", "launch.sh", "start-service")) {
      command.add(MAIN.resolve("launcher").resolve(name).toString());
    }
    for (String name : List.of("postinst", "prerm", "postrm")) {
      command.add(MAIN.resolve("debian/control").resolve(name).toString());
    }

    ShellResult.of(directory, ENVIRONMENT, command).succeeded();
  }

  @ParameterizedTest
  @ValueSource(strings = {"rest", "maintenance", "zoofence"})
  void aUnitIsConfined(String name) throws Exception {
    Path tool = Path.of("/usr/bin/systemd-analyze");
    assumeThat(tool).exists();
    ShellResult ran =
        ShellResult.of(
            directory,
            ENVIRONMENT,
            List.of(tool.toString(), "security", "--offline=yes", "" + unit(name)));
    assumeThat(ran.err()).doesNotContain("unrecognized option"); // Before systemd 250.

    Matcher exposure = EXPOSURE.matcher(ran.succeeded().out());

    assertThat(exposure.find()).as(ran.out()).isTrue();
    assertThat(Double.parseDouble(exposure.group(1))).isLessThanOrEqualTo(HIGHEST_EXPOSURE);
  }

  @Test
  void theUnitsDifferInWhatTheyStartOnly() throws IOException {
    List<String> rest = settings("rest");

    assertThat(settings("maintenance")).isEqualTo(rest);
    assertThat(settings("zoofence")).isEqualTo(rest);
  }

  @Test
  void onlyAConfigurationThatCannotWorkEndsTheRestarts() throws IOException {
    assertThat(settings("rest"))
        .contains("Restart=on-failure", "RestartPreventExitStatus=2 78", "StartLimitIntervalSec=0")
        .noneMatch(line -> line.startsWith("StartLimitBurst="));
  }

  @ParameterizedTest
  @ValueSource(strings = {"rest", "maintenance", "zoofence"})
  void systemdUnderstandsAUnit(String name) throws Exception {
    Path tool = Path.of("/usr/bin/systemd-analyze");
    assumeThat(tool).exists();

    // The program and the manual page are not installed here.
    String found =
        ShellResult.of(directory, ENVIRONMENT, List.of(tool.toString(), "verify", "" + unit(name)))
            .err();

    assertThat(found.lines())
        .allMatch(line -> line.contains("start-service") || line.contains("'man "));
  }

  @ParameterizedTest
  @ValueSource(strings = {"rest", "maintenance", "zoofence"})
  void aServiceThatIsNotConfiguredSaysHow(String name) throws Exception {
    ShellResult ran =
        ShellResult.of(
            directory,
            ENVIRONMENT,
            List.of(MAIN.resolve("launcher/start-service").toString(), name));

    assertThat(ran.code()).isEqualTo(78);
    assertThat(ran.err())
        .startsWith("ensemble-" + name + " is not configured: set ")
        .endsWith(" in /etc/ensemble/" + name + ".conf\n");
    assertThat(MAIN.resolve("debian/etc/" + name + ".conf")).exists();
  }

  @Test
  void aUserThatExistsGetsAGroupBeforeFilesBelongToIt() throws Exception {
    Path commands = commands("addgroup", "adduser", "install", "chown", "chmod", "systemctl");
    command(commands, "getent", "[ \"$1\" = passwd ]");

    maintain(commands, "postinst", "configure", "").succeeded();

    assertThat(calls())
        .startsWith("getent group ensemble", "addgroup --system --quiet ensemble")
        .contains("chown root:ensemble /etc/ensemble")
        .noneMatch(call -> call.startsWith("adduser"));
  }

  @Test
  void aPurgeRemovesNoUserWithoutDeluser() throws Exception {
    Path commands = commands("getent", "rm", "userdel", "systemctl");

    maintain(commands, "postrm", "purge").succeeded();

    assertThat(calls())
        .contains("rm -rf /var/lib/ensemble /etc/ensemble")
        .noneMatch(call -> call.startsWith("userdel"));
  }

  @Test
  void aPurgeRemovesASystemUserOnly() throws Exception {
    Path commands = commands("getent", "rm", "deluser", "systemctl");

    maintain(commands, "postrm", "purge").succeeded();

    assertThat(calls()).endsWith("deluser --system --quiet ensemble");
  }

  /** Runs a script of the package with these commands and no others. */
  private ShellResult maintain(Path commands, String script, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("/bin/sh"));
    command.add(MAIN.resolve("debian/control").resolve(script).toString());
    command.addAll(List.of(arguments));
    return ShellResult.of(directory, Map.of("PATH", commands.toString()), command);
  }

  private List<String> calls() throws IOException {
    return Files.readAllLines(directory.resolve("calls"));
  }

  /** A directory of commands that only record their call, and succeed. */
  private Path commands(String... names) throws IOException {
    Path commands = Files.createDirectory(directory.resolve("commands"));
    for (String name : names) {
      command(commands, name, "true");
    }
    return commands;
  }

  private void command(Path commands, String name, String result) throws IOException {
    Path file = commands.resolve(name);
    Files.writeString(
        file,
        "#!/bin/sh\nprintf '%s\\n' \""
            + name
            + " $*\" >>'"
            + directory.resolve("calls")
            + "'\n"
            + result
            + "\n");
    assertThat(file.toFile().setExecutable(true)).isTrue();
  }

  @Test
  void optionsOfAServiceAreWordsAndNoPatternsOfFiles() throws Exception {
    Path script = Files.createDirectory(directory.resolve("lib")).resolve("start-service");
    Files.copy(MAIN.resolve("launcher/start-service"), script, COPY_ATTRIBUTES);
    command(Files.createDirectory(directory.resolve("bin")), "ensemble", "true");

    ShellResult.of(
            directory,
            Map.of(
                "PATH", "/usr/bin:/bin",
                "ENSEMBLE_CATALOG", "zk://10.0.0.1:2181/ensemble",
                "ENSEMBLE_OPTIONS", "--site  /*"),
            List.of(script.toString(), "rest"))
        .succeeded();

    assertThat(calls()).containsExactly("ensemble rest --debug --site /*");
  }

  private static void require(Path tool) {
    if ("required".equals(System.getenv("ENSEMBLE_PACKAGES"))) {
      assertThat(tool).exists();
    }
    assumeThat(tool).exists();
  }

  private static Path unit(String name) {
    return MAIN.resolve("debian/systemd/ensemble-" + name + ".service");
  }

  private static List<String> settings(String name) throws IOException {
    try (Stream<String> lines = Files.lines(unit(name))) {
      return lines
          .filter(line -> !line.matches("(Description|Documentation|EnvironmentFile|ExecStart)=.*"))
          .toList();
    }
  }
}
