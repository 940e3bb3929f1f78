package io.ensemble.cli.trace;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.ensemble.check.process.ExitCode;
import io.ensemble.cli.CliResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Traces are generated and shown. */
class TraceCommandTest {

  @TempDir private Path directory;

  private void git(String... arguments) throws IOException, InterruptedException {
    List<String> command =
        new ArrayList<>(
            List.of(
                "git",
                "-c",
                "user.name=Nobody",
                "-c",
                "user.email=nobody@example.org",
                "-c",
                "commit.gpgsign=false",
                "-C",
                directory.resolve("repository").toString()));
    command.addAll(List.of(arguments));
    assertThat(new ProcessBuilder(command).inheritIO().start().waitFor()).isZero();
  }

  private void repository() throws IOException, InterruptedException {
    Path made = Files.createDirectory(directory.resolve("repository"));
    git("init", "--quiet");
    Files.writeString(made.resolve("a file"), "one");
    git("add", ".");
    git("commit", "--quiet", "-m", "first");
    Files.writeString(made.resolve("a file"), "two");
    Files.writeString(made.resolve("big"), "x".repeat(300_000));
    git("add", ".");
    git("commit", "--quiet", "-m", "second");
  }

  @Test
  void aRepositoryBecomesATraceThatIsShown() throws IOException, InterruptedException {
    repository();
    Path file = directory.resolve("t.jsonl.gz");

    CliResult made =
        CliResult.ensemble(
            "trace", "git", directory.resolve("repository").toString(), "--out", file.toString());
    JsonNode shown = CliResult.ensemble("trace", "show", file.toString(), "--json").json();

    assertThat(made.code()).isZero();
    assertThat(made.out()).contains("2, the last one ", "1 values over 240 KiB", "2 to 9");
    assertThat(shown.at("/source").asText()).isEqualTo("git");
    assertThat(shown.at("/trace/keys").asInt()).isEqualTo(1);
    assertThat(shown.at("/trace/versions").asInt()).isEqualTo(2);
    assertThat(shown.at("/trace/payload_bytes").asInt()).isEqualTo(6);
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files.map(f -> f.getFileName().toString()))
          .containsExactlyInAnyOrder("repository", "t.jsonl.gz");
    }
  }

  @Test
  void whatCannotBeMadeIsToldInOneLineAndLeavesNoFile() throws IOException {
    Path file = directory.resolve("t.jsonl");

    CliResult none =
        CliResult.ensemble("trace", "git", directory.toString(), "--out", file.toString());
    CliResult nowhere =
        CliResult.ensemble("trace", "synthetic", "--out", directory.resolve("no/t").toString());
    CliResult missing = CliResult.ensemble("trace", "show", file.toString());
    CliResult other =
        CliResult.ensemble("trace", "show", Files.writeString(file, "something\n").toString());

    assertThat(none.err()).contains("not a git repository");
    assertThat(nowhere.err()).contains("the directory does not exist");
    assertThat(missing.err()).contains("cannot read");
    assertThat(other.err()).contains("line 1 of the trace");
    assertThat(List.of(none, nowhere, missing, other))
        .allSatisfy(
            ran -> {
              assertThat(ran.code()).isEqualTo(ExitCode.FAILED);
              assertThat(ran.out()).isEmpty();
              assertThat(ran.err().lines().count()).isEqualTo(1);
            });
  }

  @Test
  void equalOptionsMakeEqualTraces() throws IOException {
    for (String name : List.of("one", "two")) {
      String file = directory.resolve(name).toString();
      JsonNode made =
          CliResult.ensemble("trace", "synthetic", "--out", file, "--keys", "50", "--json").json();
      assertThat(made.at("/trace/keys").asInt()).isEqualTo(50);
    }

    assertThat(directory.resolve("one")).hasSameBinaryContentAs(directory.resolve("two"));
  }
}
