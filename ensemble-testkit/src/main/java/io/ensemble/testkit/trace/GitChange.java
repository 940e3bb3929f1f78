package io.ensemble.testkit.trace;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * The change of a file by a commit.
 *
 * @param mode the present mode of the file, in octal; zeros if the file was removed
 * @param object its present content
 * @param isContent whether the content or the kind of file changed; otherwise only the permissions
 *     did
 * @param name the name of the file
 */
record GitChange(String mode, String object, boolean isContent, byte[] name) {

  private static final String GONE = "000000";
  private static final String SUBMODULE = "160000";

  boolean isGone() {
    return mode.equals(GONE);
  }

  boolean isSubmodule() {
    return mode.equals(SUBMODULE);
  }

  /** The next line of {@code git ls-tree -r -z}: a file as if it were new; null at the end. */
  static @Nullable GitChange readTreeEntry(GitProgram git) throws IOException {
    byte @Nullable [] line = git.readUntil('\0');
    if (line == null) {
      return null;
    }
    int tab = 0;
    while (line[tab] != '\t') {
      tab++;
    }
    String[] words = new String(line, 0, tab, US_ASCII).split(" ", -1);
    return new GitChange(words[0], words[2], true, Arrays.copyOfRange(line, tab + 1, line.length));
  }

  /**
   * A change of {@code git diff-tree -r -z --raw --no-renames}, whose first half is {@code header},
   * as {@code :100644 100644 before after M}.
   */
  static GitChange readDiffEntry(String header, GitProgram git) throws IOException {
    String[] each = header.substring(1).split(" ", -1);
    byte @Nullable [] name = git.readUntil('\0');
    if (each.length != 5 || name == null) {
      throw new IOException("unexpected output of git diff-tree: " + header);
    }
    boolean sameKind = each[0].startsWith("10") && each[1].startsWith("10");
    return new GitChange(each[1], each[3], !(sameKind && each[2].equals(each[3])), name);
  }
}
