package io.ensemble.testkit.trace;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The history of a local git repository, as a trace: a file is a key, a commit is a version.
 *
 * <p>The commits are those of the line of first parents. So a merge is one version with all its
 * changes, and the values of the keys as of a commit's version are its files. A commit's version is
 * the time of its committer, in milliseconds since 1970. If that time is not larger than the
 * version before, or is in the future, the version is one more than the version before. The first
 * commit makes a version of each of its files; it may be the first one of the repository, of the
 * requested commits, or of a shallow clone. A renamed file is a removal and a new file. The value
 * of a link is its target.
 *
 * <p>These are left out and counted: contents larger than a versioned cache accepts, names that are
 * too long for it, submodules, and contents that a partial clone does not have. A key that had a
 * value is removed instead, so that no old value stays. A change of permissions alone makes no
 * version.
 *
 * <p>Runs the program {@code git}. Holds the names of the present files, and one content. Not
 * thread-safe.
 */
public final class GitTrace implements AutoCloseable {

  /**
   * The part of the history to read.
   *
   * @param revision the commit whose history is read, as git names it
   * @param commits the maximum number of commits, the latest; 0 for all
   * @param since only commits of that moment or later
   */
  public record Options(String revision, int commits, Optional<Instant> since) {

    /** All ancestors of the repository's current commit, and the commit itself. */
    public static final Options ALL = new Options("HEAD", 0, Optional.empty());
  }

  /**
   * The result of a reading.
   *
   * @param clocksBehind commits whose time could not be their version, other than because of git's
   *     resolution of 1 s
   * @param tooLarge contents left out because of their size
   * @param submodules submodules left out
   * @param longNames files left out because of their names
   * @param missing contents left out because this clone does not have them
   * @param shallow whether the repository has only the end of its history
   */
  public record Report(
      String commit,
      long commits,
      long versions,
      long removals,
      long clocksBehind,
      long tooLarge,
      long submodules,
      long longNames,
      long missing,
      boolean shallow) {}

  /** The maximum size of a value of a versioned cache, in bytes. */
  static final int LONGEST_VALUE = 240 << 10;

  /** The maximum length of a key of a versioned cache. */
  static final int LONGEST_KEY = 600;

  private static final int STEPS = 20;

  private final Path repository;
  private final Path scratch;
  private final String head;
  private final boolean shallow;
  private final GitCommits commits;
  private final Set<String> presentKeys = new HashSet<>();
  private long versions;
  private long removals;
  private long tooLarge;
  private long submodules;
  private long longNames;
  private long missing;

  private GitTrace(Path repository, Options options, Path scratch) {
    this.repository = repository;
    this.scratch = scratch;
    String unused = git("rev-parse", "--git-dir");
    this.shallow = git("rev-parse", "--is-shallow-repository").equals("true");
    this.head = head(options.revision());
    this.commits = GitCommits.list(repository, scratch, head, options, System.currentTimeMillis());
  }

  /**
   * Opens a repository, and lists its commits.
   *
   * @throws GitTraceException if there is no repository, it has no commits, or git is not installed
   */
  public static GitTrace open(Path repository, Options options) {
    if (!Files.isDirectory(repository)) {
      throw new GitTraceException("the directory does not exist: " + repository);
    }
    if (options.revision().startsWith("-") || options.revision().isBlank()) {
      throw new IllegalArgumentException("a revision is required; got " + options.revision());
    }
    Path scratch;
    try {
      scratch = Files.createTempDirectory("ensemble-git");
    } catch (IOException e) {
      throw new UncheckedIOException("no directory can be made", e);
    }
    try {
      return new GitTrace(repository, options, scratch);
    } catch (RuntimeException e) {
      removed(scratch);
      throw e;
    }
  }

  private String git(String... arguments) {
    return GitProgram.run(repository, scratch, arguments).strip();
  }

  private String head(String revision) {
    try {
      return git("rev-parse", "--verify", "--quiet", revision + "^{commit}");
    } catch (GitTraceException e) {
      throw new GitTraceException(
          "the repository has no commit %s, or no commits at all: %s"
              .formatted(revision, repository),
          e);
    }
  }

  /** The header for a file of this trace. */
  public TraceHeader header() {
    return new TraceHeader("git", "%s at %s".formatted(repository.toAbsolutePath(), head));
  }

  /**
   * Reads the trace, and passes it to {@code sink}. May be called once.
   *
   * @param progress receives a line about the progress from time to time
   * @throws GitTraceException if git fails
   * @throws IOException if {@code sink} fails
   */
  public Report all(TraceSink sink, Consumer<String> progress) throws IOException {
    GitCommit first = commits.first();
    if (first == null) {
      throw new GitTraceException("no commit is that recent; the last one is " + head);
    }
    try (GitBlobs blobs = new GitBlobs(repository, scratch)) {
      files(first, blobs, sink);
      changes(blobs, sink, progress);
    }
    return new Report(
        head,
        commits.count(),
        versions,
        removals,
        commits.behind(),
        tooLarge,
        submodules,
        longNames,
        missing,
        shallow);
  }

  /** All files of the first commit. */
  private void files(GitCommit first, GitBlobs blobs, TraceSink sink) throws IOException {
    try (GitProgram git = listing(first)) {
      for (GitChange file = GitChange.readTreeEntry(git);
          file != null;
          file = GitChange.readTreeEntry(git)) {
        changed(file, first.version(), blobs, sink);
      }
      git.awaitSuccess();
    }
  }

  /** The last commit whose version is at most {@code version}; empty if the trace begins later. */
  public Optional<GitCommit> asOf(long version) {
    return commits.asOf(version);
  }

  /**
   * The files of a commit as git has them, without those that a trace leaves out. Maps each key to
   * the name of its content, which is a hash of it.
   */
  public Map<String, String> files(GitCommit commit) throws IOException {
    Map<String, String> files = new HashMap<>();
    try (GitBlobs blobs = new GitBlobs(repository, scratch);
        GitProgram git = listing(commit)) {
      for (GitChange file = GitChange.readTreeEntry(git);
          file != null;
          file = GitChange.readTreeEntry(git)) {
        String key = GitPath.key(file.name());
        long size = file.isSubmodule() ? GitBlobs.MISSING : blobs.size(file.object());
        if (size != GitBlobs.MISSING
            && size <= LONGEST_VALUE
            && key.getBytes(UTF_8).length <= LONGEST_KEY) {
          files.put(key, file.object());
        }
      }
      git.awaitSuccess();
    }
    return files;
  }

  private GitProgram listing(GitCommit commit) {
    return GitProgram.start(
        repository, scratch, null, List.of("ls-tree", "-r", "-z", "--full-tree", commit.id()));
  }

  private void changes(GitBlobs blobs, TraceSink sink, Consumer<String> progress)
      throws IOException {
    List<String> command =
        List.of("diff-tree", "--stdin", "-r", "-z", "--raw", "--no-renames", "--no-abbrev");
    try (GitProgram git = GitProgram.start(repository, scratch, commits.pairs(), command);
        BufferedReader known = Files.newBufferedReader(commits.versions())) {
      long version = 0;
      long done = 1;
      for (byte @Nullable [] next = git.readUntil('\0'); next != null; next = git.readUntil('\0')) {
        String text = new String(next, US_ASCII);
        if (text.startsWith(":")) {
          changed(GitChange.readDiffEntry(text, git), version, blobs, sink);
          continue;
        }
        String[] words;
        do { // Skips commits without changes.
          String line = known.readLine();
          if (line == null) {
            throw new IOException(
                "git diff-tree returned a commit that was not requested: " + text);
          }
          words = line.split(" ", -1);
          done++;
          if (done % Math.max(1, commits.count() / STEPS) == 0) {
            progress.accept(
                "%,d of %,d commits, %,d versions".formatted(done, commits.count(), versions));
          }
        } while (!words[0].equals(text));
        version = Long.parseLong(words[1]);
      }
      git.awaitSuccess();
    }
  }

  private void changed(GitChange change, long version, GitBlobs blobs, TraceSink sink)
      throws IOException {
    if (!change.isContent()) {
      return;
    }
    String key = GitPath.key(change.name());
    if (key.getBytes(UTF_8).length > LONGEST_KEY) {
      longNames += change.isGone() ? 0 : 1;
      return;
    }
    if (isWanted(change, blobs)) {
      versions++;
      presentKeys.add(key);
      sink.take(new TraceVersion(key, version, Optional.of(blobs.content(change.object()))));
    } else if (presentKeys.remove(key)) {
      versions++;
      removals++;
      sink.take(TraceVersion.removed(key, version));
    }
  }

  private boolean isWanted(GitChange change, GitBlobs blobs) throws IOException {
    if (change.isGone()) {
      return false;
    }
    if (change.isSubmodule()) {
      submodules++;
      return false;
    }
    long size = blobs.size(change.object());
    missing += size == GitBlobs.MISSING ? 1 : 0;
    tooLarge += size > LONGEST_VALUE ? 1 : 0;
    return size != GitBlobs.MISSING && size <= LONGEST_VALUE;
  }

  @Override
  public void close() {
    removed(scratch);
  }

  private static void removed(Path scratch) {
    try (Stream<Path> files = Files.list(scratch)) {
      for (Path file : files.toList()) {
        Files.deleteIfExists(file);
      }
      Files.deleteIfExists(scratch);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot be removed; directory=" + scratch, e);
    }
  }
}
