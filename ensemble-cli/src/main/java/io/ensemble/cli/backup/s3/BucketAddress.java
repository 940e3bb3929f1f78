package io.ensemble.cli.backup.s3;

import io.ensemble.cli.backup.format.BackupException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The location of a backup in a bucket. Its objects have keys that begin with the prefix and {@code
 * /}.
 */
public record BucketAddress(String bucket, String prefix) {

  private static final String SCHEME = "s3://";
  private static final Pattern FORM =
      Pattern.compile("s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])/(.+)");

  /** The longest prefix; a key has at most 1024 bytes. */
  private static final int LONGEST = 512;

  /** Whether the text names a bucket, not a directory. */
  public static boolean isOne(String text) {
    return text.startsWith(SCHEME);
  }

  /**
   * Parses {@code s3://BUCKET/PREFIX}.
   *
   * @throws IllegalArgumentException if it has another form
   */
  public static BucketAddress parse(String text) {
    Matcher form = FORM.matcher(text.replaceAll("/+$", ""));
    if (!form.matches() || !isPath(form.group(2)) || form.group(2).length() > LONGEST) {
      throw new IllegalArgumentException(
          ("a backup in a bucket must be s3://BUCKET/PREFIX, with a prefix of at most %d"
                  + " characters; got %s")
              .formatted(LONGEST, text));
    }
    return new BucketAddress(form.group(1), form.group(2));
  }

  /** The key of a file of the backup. */
  String key(String name) {
    if (!isPath(name)) {
      throw new BackupException("the manifest names a file outside the backup: " + name);
    }
    return prefix + "/" + name;
  }

  /** The name of the file that has this key. */
  String name(String key) {
    return key.substring(prefix.length() + 1);
  }

  private static boolean isPath(String text) {
    return List.of(text.split("/", -1)).stream()
        .noneMatch(part -> part.isEmpty() || part.equals(".") || part.equals(".."));
  }
}
