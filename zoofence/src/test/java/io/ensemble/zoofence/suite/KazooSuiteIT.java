package io.ensemble.zoofence.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.ensemble.zoofence.deployment.Deployment;
import io.ensemble.zoofence.embedded.EmbeddedInstance;
import io.ensemble.zoofence.link.InstanceServers;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.apache.zookeeper.Version;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Runs the published tests of Kazoo, unchanged. Each of the three servers that they start, stop and
 * restart is a proxy; all serve one deployment of three ensembles. All these tests pass with a
 * plain ZooKeeper of three servers, except those that are skipped. Those that docs/zoofence.md
 * explains do not pass here. A failed test is run a second time: the tests wait for fixed times,
 * which a busy machine may exceed.
 */
@Tag("deep")
final class KazooSuiteIT {
  private static final Path PYTHON = Path.of("../zoofence/target/kazoo/bin/python");
  private static final int LONGEST_MINUTES = 30;
  private static final int MOST_FIRST_PORT = 65_000;

  /** The value of Kazoo's own configuration of ZooKeeper, whose tests use the password. */
  private static final String SUPER = "super:D/InIHSb7yEEbrWz8b9l71RjZJU=";

  /** The tests that docs/zoofence.md explains, without their packages. */
  private static final Set<String> EXPLAINED =
      Set.of(
          "TestReconfig::test_add_remove_observer",
          "TestReconfig::test_bad_input",
          "TestReconfig::test_no_super_auth",
          "TestReadOnlyMode::test_read_only",
          "TestSASLDigestAuthentication::test_connect_sasl_auth",
          "TestSASLDigestAuthentication::test_invalid_sasl_auth",
          "TestLegacySASLDigestAuthentication::test_connect_sasl_auth",
          "TestLegacySASLDigestAuthentication::test_invalid_sasl_auth");

  private static final Pattern RESULT =
      Pattern.compile("(?m)^(PASSED|FAILED|ERROR) [^:\\s]*::(\\S+)");

  @TempDir Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"/zzz 1", "/ hash 1"})
  void kazoosOwnTestsPassExceptThoseThatAreExplained(String rules) throws Exception {
    assumeTrue(Files.isExecutable(PYTHON), "no Kazoo here: ./install-client-suites");
    System.setProperty("zookeeper.DigestAuthenticationProvider.superDigest", SUPER);
    var instances = new ArrayList<EmbeddedInstance>();
    try {
      var servers = new ArrayList<InstanceServers>();
      for (int number = 1; number <= 3; number++) {
        Path own = Files.createDirectory(directory.resolve("instance" + number));
        instances.add(EmbeddedInstance.start(own, 0));
        servers.add(instances.get(number - 1).servers(Integer.toString(number)));
      }
      Deployment.join(servers, servers.get(0), rules, Duration.ofSeconds(20));
      Path java = replaceJava(servers);

      Set<String> failed = new TreeSet<>();
      Set<String> passed = run(java, List.of("--pyargs", "kazoo.tests"), failed);
      Set<String> unexplained = new TreeSet<>(failed);
      unexplained.removeAll(EXPLAINED);
      Set<String> second = new TreeSet<>(unexplained);
      if (!unexplained.isEmpty()) {
        var failedAgain = new TreeSet<String>();
        run(java, List.of("--pyargs", "kazoo.tests", "--last-failed"), failedAgain);
        unexplained.retainAll(failedAgain);
      }
      second.removeAll(unexplained);
      failed.retainAll(EXPLAINED);

      System.out.printf(
          "%s: %d tests of Kazoo pass; explained %s; only at the second try %s%n",
          rules, passed.size(), failed, second);
      assertThat(passed).hasSizeGreaterThan(250);
      assertThat(unexplained).as("fail without an explanation").isEmpty();
    } finally {
      instances.forEach(EmbeddedInstance::close);
    }
  }

  /** A directory with a program {@code java} that starts a proxy where a server is to start. */
  private Path replaceJava(List<InstanceServers> servers) throws IOException {
    Path bin = Files.createDirectory(directory.resolve("bin"));
    String ensembles =
        servers.stream().map(InstanceServers::connectString).collect(Collectors.joining("|"));
    Path script =
        Files.writeString(
            bin.resolve("java"),
            """
            #!/bin/sh
            for argument; do
              shift
              case $argument in
                *.QuorumPeerMain) argument=%s ;;
              esac
              set -- "$@" "$argument"
            done
            exec '%s' '-D%s=%s' -Xmx256m "$@"
            """
                .formatted(
                    SuiteProxy.class.getName(),
                    Path.of(System.getProperty("java.home"), "bin", "java"),
                    SuiteProxy.ENSEMBLES,
                    ensembles));
    Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    return bin;
  }

  /** The first of the ports that Kazoo gives to its servers; it takes a few after this one. */
  private static int findFreePorts() throws IOException {
    try (var socket = new ServerSocket(0)) {
      return Math.min(socket.getLocalPort(), MOST_FIRST_PORT);
    }
  }

  /** Runs tests of Kazoo, and returns those that pass. */
  private Set<String> run(Path java, List<String> tests, Set<String> failed)
      throws IOException, InterruptedException {
    Path out = directory.resolve("out");
    var command = new ArrayList<>(List.of(PYTHON.toAbsolutePath().toString(), "-m", "pytest"));
    command.addAll(tests);
    command.addAll(
        List.of(
            "--timeout",
            "120",
            "-q",
            "-rA",
            "--tb=short",
            "--show-capture=no",
            "--disable-warnings",
            "-o",
            "cache_dir=" + directory.resolve("cache")));
    var builder =
        new ProcessBuilder(command)
            .directory(directory.toFile())
            .redirectErrorStream(true)
            .redirectOutput(out.toFile());
    builder.environment().merge("PATH", java.toString(), (path, first) -> first + ":" + path);
    builder.environment().put("ZOOKEEPER_CLASSPATH", SuiteRun.classPath());
    builder.environment().put("ZOOKEEPER_VERSION", Version.getVersion());
    builder.environment().put("ZOOKEEPER_PORT_OFFSET", Integer.toString(findFreePorts()));
    Process pytest = builder.start();
    try {
      assertThat(pytest.waitFor(LONGEST_MINUTES, TimeUnit.MINUTES))
          .as("Kazoo's tests end")
          .isTrue();
    } finally {
      pytest.destroyForcibly();
    }
    String text = Files.readString(out);
    System.out.println(text);
    assertThat(pytest.exitValue()).as("all tests were run, and some may fail").isBetween(0, 1);
    var passed = new TreeSet<String>();
    RESULT
        .matcher(text)
        .results()
        .forEach(
            result -> (result.group(1).equals("PASSED") ? passed : failed).add(result.group(2)));
    return passed;
  }
}
