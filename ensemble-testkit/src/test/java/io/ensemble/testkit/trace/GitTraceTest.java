package io.ensemble.testkit.trace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of a git repository become keys, and its commits become versions. */
class GitTraceTest {

  @TempDir private Path temporary;
  private GitTestRepository repository;
  private GitTrace.Report report;

  @BeforeEach
  void init() {
    repository = new GitTestRepository(temporary.resolve("repository"));
  }

  /** The trace as {@code key@version=value} each, without a value for a removal. */
  private List<String> trace(GitTrace.Options options) throws IOException {
    repository.written();
    return trace(repository.directory(), options);
  }

  private List<String> trace(Path directory, GitTrace.Options options) throws IOException {
    List<String> all = new ArrayList<>();
    try (GitTrace git = GitTrace.open(directory, options)) {
      report = git.all(version -> all.add(told(version)), line -> {});
    }
    return all;
  }

  private static String told(TraceVersion version) {
    String value = version.value().map(v -> "=" + new String(v, UTF_8)).orElse("");
    return version.key() + "@" + version.version() + value;
  }

  @Test
  void aFileIsAKeyAndACommitAVersion() throws IOException {
    repository.commit("main", 100);
    repository.file("a", "one");
    repository.file("b/c", "other");
    repository.commit("main", 200);
    repository.file("a", "two");
    repository.commit("main", 300);
    repository.removed("a");
    repository.commit("main", 400);
    repository.file("a", "");

    List<String> trace = trace(GitTrace.Options.ALL);

    assertThat(trace)
        .containsExactly(
            "a@100000=one", "b/c@100000=other", "a@200000=two", "a@300000", "a@400000=");
    assertThat(report.commits()).isEqualTo(4);
    assertThat(report.versions()).isEqualTo(5);
    assertThat(report.removals()).isEqualTo(1);
  }

  @Test
  void commitsOfOneSecondOrWithAClockThatGoesBackHaveRisingVersions() throws IOException {
    long[] seconds = {100, 100, 100, 90, 101, 99_999_999_999L, 102};
    for (int i = 0; i < seconds.length; i++) {
      repository.commit("main", seconds[i]);
      repository.file("a", "number " + i);
    }

    List<String> trace = trace(GitTrace.Options.ALL);

    assertThat(trace)
        .extracting(line -> line.replaceAll("=.*", ""))
        .containsExactly(
            "a@100000", "a@100001", "a@100002", "a@100003", "a@101000", "a@101001", "a@102000");
    assertThat(report.clocksBehind()).isEqualTo(2);
  }

  @Test
  void namesMayHaveAnyBytes() throws IOException {
    repository.commit("main", 100);
    repository.file("\"line\\nbreak\"", "1");
    repository.file("\"a \\\"quote\\\"\"", "2");
    repository.file("\"\\\"begins\"", "3");
    repository.file("\"caf\\303\\251\"", "4");
    repository.file("\"caf\\351\"", "5");
    repository.file("\":100644 tab\\there\"", "6");
    repository.file("-x", "7");
    repository.commit("main", 200);
    repository.file("\"caf\\351\"", "8");
    repository.removed("\"line\\nbreak\"");

    List<String> trace = trace(GitTrace.Options.ALL);

    assertThat(trace)
        .containsExactlyInAnyOrder(
            "line\nbreak@100000=1",
            "a \"quote\"@100000=2",
            "\"\\\"begins\"@100000=3",
            "caf\u00e9@100000=4",
            "\"caf\\351\"@100000=5",
            ":100644 tab\there@100000=6",
            "-x@100000=7",
            "\"caf\\351\"@200000=8",
            "line\nbreak@200000");
  }

  @Test
  void twoNamesAreNeverOneKey() {
    byte[] notUtf8 = {'a', (byte) 0xE9};
    byte[] looksAlike = "\"a\\351\"".getBytes(UTF_8);

    assertThat(GitPath.key(notUtf8)).isEqualTo("\"a\\351\"");
    assertThat(GitPath.key(looksAlike)).isNotEqualTo(GitPath.key(notUtf8));
  }

  @Test
  void aMergeIsOneVersionOfWhatItBrings() throws IOException {
    int base = repository.commit("main", 100);
    repository.file("a", "base");
    repository.branch("side", base);
    repository.commit("side", 150);
    repository.file("b", "early");
    int side = repository.commit("side", 160);
    repository.file("b", "late");
    repository.commit("main", 200);
    repository.file("a", "main");
    repository.commit("main", 300, side);
    repository.file("b", "late");

    List<String> trace = trace(GitTrace.Options.ALL);

    assertThat(trace).containsExactly("a@100000=base", "a@200000=main", "b@300000=late");
  }

  @Test
  void aRenameRemovesOneKeyAndMakesAnother() throws IOException {
    repository.commit("main", 100);
    repository.file("a", "same");
    repository.commit("main", 200);
    repository.removed("a");
    repository.file("b", "same");

    assertThat(trace(GitTrace.Options.ALL))
        .containsExactlyInAnyOrder("a@100000=same", "a@200000", "b@200000=same");
  }

  @Test
  void permissionsMakeNoVersionAndLinksHoldTheirTarget() throws IOException {
    repository.commit("main", 100);
    repository.file("a", "b");
    repository.commit("main", 200);
    repository.file("100755", "a", "b".getBytes(UTF_8));
    repository.commit("main", 300);
    repository.file("120000", "a", "b".getBytes(UTF_8));

    assertThat(trace(GitTrace.Options.ALL)).containsExactly("a@100000=b", "a@300000=b");
  }

  @Test
  void whatACacheDoesNotTakeIsLeftOutAndNoOldValueStandsForIt() throws IOException {
    repository.commit("main", 100);
    repository.file("a", "small");
    repository.file("100644", "big", new byte[GitTrace.LONGEST_VALUE + 1]);
    repository.file("100644", "full", new byte[GitTrace.LONGEST_VALUE]);
    repository.file("n".repeat(GitTrace.LONGEST_KEY + 1), "long name");
    repository.submodule("module");
    repository.commit("main", 200);
    repository.file("100644", "a", new byte[GitTrace.LONGEST_VALUE + 1]);
    repository.removed("big");
    repository.removed("n".repeat(GitTrace.LONGEST_KEY + 1));
    repository.removed("module");
    repository.commit("main", 300);
    repository.file("a", "small again");

    List<String> trace = trace(GitTrace.Options.ALL);

    assertThat(trace)
        .extracting(line -> line.replaceAll("=.*", "").replace("\0", ""))
        .containsExactly("a@100000", "full@100000", "a@200000", "a@300000");
    assertThat(report.tooLarge()).isEqualTo(2);
    assertThat(report.submodules()).isEqualTo(1);
    assertThat(report.longNames()).isEqualTo(1);
    assertThat(report.removals()).isEqualTo(1);
  }

  @Test
  void theFirstOfTheLatestCommitsHasAllFiles() throws IOException {
    repository.commit("main", 100);
    repository.file("a", "1");
    repository.file("b", "1");
    repository.commit("main", 200);
    repository.file("a", "2");
    repository.commit("main", 300);
    repository.file("a", "3");

    List<String> latest = trace(new GitTrace.Options("HEAD", 2, Optional.empty()));
    List<String> young =
        trace(
            repository.directory(),
            new GitTrace.Options("main", 0, Optional.of(Instant.ofEpochSecond(200))));

    assertThat(latest).containsExactly("a@200000=2", "b@200000=1", "a@300000=3");
    assertThat(young).isEqualTo(latest);
  }

  @Test
  void aShallowCloneBeginsWithAllItsFiles() throws IOException {
    repository.commit("main", 100);
    repository.file("a", "1");
    repository.file("b", "1");
    repository.commit("main", 200);
    repository.file("a", "2");
    repository.written();
    Path clone = temporary.resolve("clone");
    GitTestRepository.git(
        null,
        "clone",
        "--quiet",
        "--depth=1",
        repository.directory().toUri().toString(),
        clone.toString());

    List<String> trace = trace(clone, GitTrace.Options.ALL);

    assertThat(trace).containsExactly("a@200000=2", "b@200000=1");
    assertThat(report.shallow()).isTrue();
  }

  @Test
  void whatCannotBeReadIsToldInOneLine() throws IOException {
    Path plain = Files.createDirectory(temporary.resolve("plain"));
    repository.written();
    GitTrace.Options future =
        new GitTrace.Options("HEAD", 0, Optional.of(Instant.ofEpochSecond(4_000_000_000L)));

    assertThatThrownBy(() -> trace(temporary.resolve("nowhere"), GitTrace.Options.ALL))
        .isInstanceOf(GitTraceException.class)
        .hasMessageContaining("the directory does not exist");
    assertThatThrownBy(() -> trace(plain, GitTrace.Options.ALL))
        .isInstanceOf(GitTraceException.class)
        .hasMessageContaining("not a git repository");
    assertThatThrownBy(() -> trace(repository.directory(), GitTrace.Options.ALL))
        .isInstanceOf(GitTraceException.class)
        .hasMessageContaining("no commits at all");
    repository = new GitTestRepository(temporary.resolve("other"));
    repository.commit("main", 100);
    assertThatThrownBy(() -> trace(future))
        .isInstanceOf(GitTraceException.class)
        .hasMessageContaining("no commit is that recent");
  }
}
