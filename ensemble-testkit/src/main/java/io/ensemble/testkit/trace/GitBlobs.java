package io.ensemble.testkit.trace;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.Closeable;
import java.io.EOFException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The contents of a repository's files, read one by one. Not thread-safe. */
final class GitBlobs implements Closeable {

  /** The size of a content that this clone does not have, because it is partial or damaged. */
  static final long MISSING = -1;

  private final GitProgram sizes;
  private final GitProgram contents;

  GitBlobs(Path repository, Path scratch) {
    sizes = GitProgram.start(repository, scratch, null, List.of("cat-file", "--batch-check"));
    try {
      contents = GitProgram.start(repository, scratch, null, List.of("cat-file", "--batch"));
    } catch (RuntimeException e) {
      sizes.close();
      throw e;
    }
  }

  /** The size of the content in bytes, or {@link #MISSING}. */
  long size(String object) throws IOException {
    return size(sizes, object);
  }

  /** The content itself; the clone must have it. */
  byte[] content(String object) throws IOException {
    int size = Math.toIntExact(size(contents, object));
    byte[] content = contents.out().readNBytes(size);
    if (content.length < size || contents.out().read() != '\n') {
      throw new EOFException("git cat-file ended within " + object);
    }
    return content;
  }

  private static long size(GitProgram git, String object) throws IOException {
    git.in().write((object + "\n").getBytes(US_ASCII));
    git.in().flush();
    byte @Nullable [] line = git.readUntil('\n');
    if (line == null) {
      git.awaitSuccess();
      throw new EOFException("git cat-file has ended");
    }
    String[] words = new String(line, US_ASCII).split(" ", -1);
    return words.length == 3 ? Long.parseLong(words[2]) : MISSING;
  }

  @Override
  public void close() {
    sizes.close();
    contents.close();
  }
}
