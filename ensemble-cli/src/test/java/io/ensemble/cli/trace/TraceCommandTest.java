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
  void theSampleOfAWikipediaLogBecomesATraceThatIsShown() throws IOException {
    String file = directory.resolve("t.jsonl").toString();

    CliResult made = CliResult.ensemble("trace", "wikibench", "--sample", "--out", file);
    JsonNode shown = CliResult.ensemble("trace", "show", file, "--json").json();
    CliResult text = CliResult.ensemble("trace", "show", file);

    assertThat(made.code()).isZero();
    assertThat(made.out()).contains("66 lines: 5 saved edits, 55 reads", "2 of other hosts");
    assertThat(shown.at("/source").asText()).isEqualTo("wikibench");
    assertThat(shown.at("/trace/keys").asInt()).isEqualTo(6);
    assertThat(shown.at("/trace/versions").asInt()).isEqualTo(10);
    assertThat(shown.at("/trace/old_reads").asInt()).isEqualTo(3);
    assertThat(text.out()).contains("3 of old versions, 2 of lists of versions");
  }

  @Test
  void aLogInAnotherFormatIsRefused() throws IOException {
    String file = directory.resolve("t.jsonl").toString();
    Path log = Files.writeString(directory.resolve("access.log"), "GET / 200\n");

    CliResult other = CliResult.ensemble("trace", "wikibench", log.toString(), "--out", file);
    CliResult none = CliResult.ensemble("trace", "wikibench", "no", "--out", file);
    CliResult both =
        CliResult.ensemble("trace", "wikibench", log.toString(), "--sample", "--out", file);

    assertThat(other.err()).contains("expected a counter, a time, a URL and a flag");
    assertThat(none.err()).contains("the log does not exist");
    assertThat(both.err()).contains("either LOG or --sample");
    assertThat(both.code()).isEqualTo(ExitCode.USAGE);
    assertThat(Path.of(file)).doesNotExist();
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
