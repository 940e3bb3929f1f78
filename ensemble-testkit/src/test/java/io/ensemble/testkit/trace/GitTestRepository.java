package io.ensemble.testkit.trace;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A bare git repository, filled by {@code git fast-import}. Times are in seconds since 1970. */
final class GitTestRepository {

  private static final String NO_AUTHOR = "Nobody <nobody@example.org>";

  private final Path directory;
  private final StringBuilder stream = new StringBuilder("feature done\n"); // Bytes as characters.
  private int mark;

  GitTestRepository(Path directory) {
    this.directory = directory;
    git(null, "init", "--quiet", "--bare", "--initial-branch=main", directory.toString());
  }

  Path directory() {
    return directory;
  }

  /**
   * Begins a commit.
   *
   * @return its number
   */
  int commit(String branch, long seconds) {
    return commit(branch, seconds, 0);
  }

  /**
   * Begins a commit that merges another one into its branch.
   *
   * @return its number
   */
  int commit(String branch, long seconds, int merged) {
    stream.append(
        "commit refs/heads/%s\nmark :%d\ncommitter %s %d +0000\ndata 0\n"
            .formatted(branch, ++mark, NO_AUTHOR, seconds));
    if (merged > 0) {
      stream.append("merge :%d\n".formatted(merged));
    }
    return mark;
  }

  /** Begins a branch at another commit. */
  void branch(String branch, int from) {
    stream.append("reset refs/heads/%s\nfrom :%d\n\n".formatted(branch, from));
  }

  /** Writes a file. */
  void file(String quotedName, String content) {
    file("100644", quotedName, content.getBytes(UTF_8));
  }

  void file(String mode, String quotedName, byte[] content) {
    stream
        .append("M %s inline %s\ndata %d\n".formatted(mode, quotedName, content.length))
        .append(new String(content, ISO_8859_1))
        .append('\n');
  }

  void submodule(String name) {
    stream.append("M 160000 %s %s\n".formatted("1".repeat(40), name));
  }

  void removed(String quotedName) {
    stream.append("D ").append(quotedName).append('\n');
  }

  /** Writes all commits to the repository. */
  void written() {
    git(stream.append("done\n"), "-C", directory.toString(), "fast-import", "--quiet");
  }

  static void git(@Nullable CharSequence input, String... arguments) {
    List<String> command = new ArrayList<>(List.of("git"));
    command.addAll(List.of(arguments));
    try {
      Process git =
          new ProcessBuilder(command)
              .redirectOutput(ProcessBuilder.Redirect.DISCARD)
              .redirectError(ProcessBuilder.Redirect.INHERIT)
              .start();
      try (OutputStream in = git.getOutputStream()) {
        in.write(input == null ? new byte[0] : input.toString().getBytes(ISO_8859_1));
      }
      if (git.waitFor() != 0) {
        throw new AssertionError("git failed: " + command);
      }
    } catch (IOException e) {
      throw new AssertionError("git cannot be started", e);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }
}
