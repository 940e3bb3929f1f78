package io.ensemble.cli.zoofence;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliProcess;
import io.ensemble.cli.CliResult;
import io.ensemble.testkit.link.Ports;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.ZooKeeperMain;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** ZooKeeper's own command line works on ZooFence, both run as the document shows. */
@Timeout(120)
class ZooFenceCliIT {

  private static final String STARTS = "./ensemble zoofence ";
  private static final String SERVER = "zkCli.sh -server 127.0.0.1:2181";

  @TempDir Path directory;

  private final int port = Ports.reserve(1);
  private List<String> document = List.of();

  @BeforeEach
  void read() throws IOException {
    document = Files.readAllLines(Path.of("..", "docs", "zoofence.md"));
  }

  @Test
  void theLinesOfTheDocumentDoWhatTheySay() throws Exception {
    try (CliProcess zoofence = CliProcess.started("256m", starting())) {
      assertThat(zoofence.published().at("/address").asText()).isEqualTo("127.0.0.1:" + port);

      String said = zkCli(typed());
      String afterwards = zkCli("ls /shared\nget /app\nconfig\nquit\n");

      assertThat(said)
          .contains("Created /app", "Created /shared", "Created /shared/turn-0000000000")
          .contains("on all of them", "numChildren = 1")
          .contains("/shared\n/shared/turn-0000000000\n")
          .doesNotContain("Exception", "does not exist");
      assertThat(afterwards)
          .contains("Node does not exist: /app", "version=")
          .contains("[]") // A closed session keeps no turn.
          .doesNotContain("turn-");
      zoofence.stop();
    }
  }

  @Test
  void aDryRunOfAMoveShowsTheCopiesAndTheReasonsAgainstIt() throws Exception {
    Path rules = Files.writeString(directory.resolve("rules"), "/app 1\n");
    try (CliProcess zoofence =
        CliProcess.started(
            "256m",
            List.of(
                "zoofence",
                "--json",
                "--embedded",
                "2",
                "--port",
                "" + port,
                "--flattening",
                rules.toString(),
                "--four-letter-words",
                "srvr"))) {
      var ensembles = new ArrayList<String>();
      for (JsonNode line : zoofence.published().at("/ensembles")) {
        ensembles.add(line.asText().replace(": ", "="));
      }
      String[] move = {
        "zoofence", "move", "/app", "2", "--ensembles", String.join("|", ensembles), "--dry-run"
      };
      zkCli("create /app 12345\ncreate /app/x 678\nquit\n");

      CliResult possible = CliResult.ensemble(move);
      zkCli("create /app/closed 1 digest:ann:none:r\nquit\n");
      CliResult refused = CliResult.ensemble(move);

      assertThat(possible.code()).as(possible.err()).isEqualTo(ExitCode.OK);
      assertThat(possible.out())
          .contains(
              "/app: 2 znodes, 8 bytes of data",
              "2: creates 1 znodes, 8 bytes; 1 further changes",
              "1: removes 1 znodes",
              "nothing was changed")
          .doesNotContain("refused");
      assertThat(refused.code()).isEqualTo(ExitCode.FAILED);
      assertThat(refused.out())
          .contains(
              "refused: the credentials of the mover do not permit reading and changing"
                  + " /app/closed");
      zoofence.stop();
    }
  }

  /** The command with which the document starts ZooFence, with the port of the test. */
  private List<String> starting() throws IOException {
    String printed =
        document.stream().filter(line -> line.startsWith("printf ")).findFirst().orElseThrow();
    Path rules = directory.resolve("rules");
    String text = printed.substring("printf '".length(), printed.lastIndexOf('\''));
    Files.writeString(rules, text.replace("\\n", "\n"));
    String line = document.stream().filter(one -> one.startsWith(STARTS)).findFirst().orElseThrow();
    List<String> arguments = new ArrayList<>(List.of("zoofence", "--json"));
    for (String word : line.substring(STARTS.length()).split(" +")) {
      arguments.add(
          word.equals("2181") ? Integer.toString(port) : word.equals("rules") ? "" + rules : word);
    }
    return arguments;
  }

  /** The lines that the document types into zkCli. */
  private String typed() {
    int begin = document.indexOf(SERVER) + 1;
    int end = begin + document.subList(begin, document.size()).indexOf("```");
    assertThat(end - begin).isGreaterThan(5);
    return String.join("\n", document.subList(begin, end)) + "\n";
  }

  /** Runs zkCli on this input, and returns its output. */
  private String zkCli(String typed) throws Exception {
    List<String> command =
        List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-XX:TieredStopAtLevel=1",
            "-cp",
            System.getProperty("java.class.path"),
            ZooKeeperMain.class.getName(),
            "-server",
            "127.0.0.1:" + port);
    Path out = Files.createTempFile(directory, "zkcli", ".out");
    Process process =
        new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(out.toFile()).start();
    try (var in = process.getOutputStream()) {
      in.write(typed.getBytes(UTF_8));
    }
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).as(Files.readString(out)).isTrue();
    return Files.readString(out);
  }
}
