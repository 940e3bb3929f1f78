package io.ensemble.testkit.trace;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The commits of a line of first parents, the oldest first, and the version of each.
 *
 * @param count the number of commits
 * @param behind the number of commits whose time is not after that of the commit before, or is in
 *     the future; differences that git's resolution of 1 s explains are not counted
 * @param first the oldest commit; null if there is none
 * @param versions a file of commits and their versions, without the first
 * @param pairs a file of commits and their first parents, without the first
 */
record GitCommits(long count, long behind, @Nullable GitCommit first, Path versions, Path pairs) {

  private static final long MILLIS = 1_000;

  static GitCommits list(
      Path repository, Path scratch, String head, GitTrace.Options options, long nowMillis) {
    List<String> arguments =
        new ArrayList<>(
            List.of("rev-list", "--first-parent", "--reverse", "--parents", "--timestamp"));
    if (options.commits() > 0) {
      arguments.add("--max-count=" + options.commits());
    }
    arguments.addAll(List.of(head, "--"));
    Path versions = scratch.resolve("versions");
    Path pairs = scratch.resolve("pairs");
    long since = options.since().map(Instant::toEpochMilli).orElse(Long.MIN_VALUE);
    try (GitProgram git = GitProgram.start(repository, scratch, null, arguments);
        BufferedReader lines = new BufferedReader(new InputStreamReader(git.out(), US_ASCII));
        Writer ofVersions = Files.newBufferedWriter(versions);
        Writer ofPairs = Files.newBufferedWriter(pairs)) {
      GitCommit first = null;
      long count = 0;
      long behind = 0;
      long last = 0;
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.split(" ", -1);
        long time = Long.parseLong(words[0]) * MILLIS;
        boolean usable = time > last && time <= nowMillis;
        behind += usable || last / MILLIS == time / MILLIS ? 0 : 1;
        last = usable ? time : last + 1;
        if (last < since) {
          continue;
        }
        count++;
        if (first == null) {
          first = new GitCommit(words[1], last);
        } else {
          ofVersions.append(words[1]).append(' ').append(String.valueOf(last)).append('\n');
          ofPairs.append(words[1]).append(' ').append(words[2]).append('\n');
        }
      }
      git.awaitSuccess();
      return new GitCommits(count, behind, first, versions, pairs);
    } catch (IOException e) {
      throw new UncheckedIOException("commits cannot be written to " + scratch, e);
    }
  }

  /** The last commit whose version is at most {@code version}. */
  Optional<GitCommit> asOf(long version) {
    GitCommit found = first != null && first.version() <= version ? first : null;
    try (BufferedReader lines = Files.newBufferedReader(versions)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        String[] words = line.split(" ", -1);
        long commitVersion = Long.parseLong(words[1]);
        if (commitVersion > version) {
          break;
        }
        found = new GitCommit(words[0], commitVersion);
      }
      return Optional.ofNullable(found);
    } catch (IOException e) {
      throw new UncheckedIOException("commits cannot be read from " + versions, e);
    }
  }
}
