package io.ensemble.deploy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/**
 * The files of a Debian package that are not in {@code /usr/share/ensemble}: documents, manual
 * pages, completion, units of systemd and configuration.
 */
final class DebianStaging {

  private static final List<String> TEXTS =
      List.of("NOTICE", "README.md", "CHANGELOG.md", "SECURITY.md");

  /** The byte of the header of gzip that tells the level, which Java leaves open (RFC 1952). */
  private static final int EXTRA_FLAGS = 8;

  private static final byte SLOWEST = 2;

  private final Path sources;
  private final Path stage;
  private final Path debian;
  private final String version;
  private final Instant time;

  /**
   * @param stage the staged distribution
   * @param debian the directory to write; it stands for the root of a file system
   * @param time the time of the version, not of the build
   */
  DebianStaging(Path repository, Path stage, Path debian, String version, Instant time) {
    this.sources = repository.resolve("deploy/src/main/debian");
    this.stage = stage;
    this.debian = debian;
    this.version = version;
    this.time = time;
  }

  /** Replaces the directory. */
  void stage() throws IOException {
    Staging.remove(debian);
    Path documents = Files.createDirectories(debian.resolve("usr/share/doc/ensemble"));
    Files.copy(sources.resolve("copyright"), documents.resolve("copyright"));
    for (String name : TEXTS) {
      Files.copy(stage.resolve(name), documents.resolve(name));
    }
    Path changes = Files.writeString(Files.createTempFile("changelog", null), changelog());
    compress(changes, documents.resolve("changelog.gz"));
    Files.delete(changes);
    Staging.copy(stage.resolve("docs"), documents.resolve("docs"));
    Path pages = Files.createDirectories(debian.resolve("usr/share/man/man1"));
    try (Stream<Path> files = Files.list(stage.resolve("share/man/man1"))) {
      for (Path page : files.toList()) {
        compress(page, pages.resolve(page.getFileName() + ".gz"));
      }
    }
    Path completions = debian.resolve("usr/share/bash-completion/completions");
    Staging.copy(stage.resolve("share/bash-completion/completions"), completions);
    Path zsh = Files.createDirectories(debian.resolve("usr/share/zsh/vendor-completions"));
    Files.copy(sources.resolve("_ensemble"), zsh.resolve("_ensemble"));
    Staging.copy(sources.resolve("systemd"), debian.resolve("usr/lib/systemd/system"));
    Staging.copy(sources.resolve("etc"), debian.resolve("etc/ensemble"));
  }

  /** What Debian's tools read; the changes themselves are in the file that it names. */
  private String changelog() {
    return """
    ensemble (%s) unstable; urgency=medium

      * See /usr/share/doc/ensemble/CHANGELOG.md.

     -- The Ensemble contributors <ensemble@localhost>  %s
    """
        .formatted(
            version.replace('-', '~'),
            DateTimeFormatter.RFC_1123_DATE_TIME.format(time.atOffset(ZoneOffset.UTC)))
        .replace(" GMT", " +0000");
  }

  /** Writes the same bytes for the same text at any time, as gzip -9n does. */
  private static void compress(Path from, Path to) throws IOException {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    try (OutputStream out = new BestCompression(bytes)) {
      Files.copy(from, out);
    }
    byte[] compressed = bytes.toByteArray();
    compressed[EXTRA_FLAGS] = SLOWEST;
    Files.write(to, compressed);
  }

  private static final class BestCompression extends GZIPOutputStream {

    BestCompression(OutputStream out) throws IOException {
      super(out);
      def.setLevel(Deflater.BEST_COMPRESSION);
    }
  }
}
