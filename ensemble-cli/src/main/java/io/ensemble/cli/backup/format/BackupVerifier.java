package io.ensemble.cli.backup.format;

import io.ensemble.cli.backup.format.BackupManifest.BackupFile;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.security.DigestInputStream;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Compares the files of a backup with its manifest. Reads every byte, and changes nothing. */
public final class BackupVerifier {

  private static final int BUFFER = 1 << 16;

  private final BackupStore store;

  public BackupVerifier(BackupStore store) {
    this.store = store;
  }

  /**
   * The problems of these files, one line each; none if they are in order.
   *
   * @param progress receives the name of each file before it is read
   * @throws BackupStoreException if the store does not answer
   */
  public List<String> problems(Stream<BackupFile> files, Consumer<String> progress) {
    List<String> problems = new ArrayList<>();
    for (BackupFile file : files.toList()) {
      progress.accept(file.name());
      problem(file).ifPresent(problems::add);
    }
    return problems;
  }

  private Optional<String> problem(BackupFile file) {
    try {
      OptionalLong size = store.size(file.name());
      if (size.isEmpty()) {
        return Optional.of("missing: " + file.name());
      }
      if (size.getAsLong() != file.bytes()) {
        return Optional.of(
            "damaged: %s has %d bytes; expected %d"
                .formatted(file.name(), size.getAsLong(), file.bytes()));
      }
      try (InputStream in = store.read(file.name())) {
        return problem(file, new DigestInputStream(in, FileDigest.sha256()));
      }
    } catch (IOException e) {
      return Optional.of("unreadable: %s: %s".formatted(file.name(), e.getMessage()));
    }
  }

  /** Reads the file once, for its records and for its digest. */
  private Optional<String> problem(BackupFile file, DigestInputStream in) throws IOException {
    Optional<String> ofRecords = counted(file, in);
    byte[] buffer = new byte[BUFFER];
    while (in.read(buffer) >= 0) {
      // The rest of a file whose records cannot be read belongs to the digest.
    }
    return HexFormat.of().formatHex(in.getMessageDigest().digest()).equals(file.sha256())
        ? ofRecords
        : Optional.of("damaged: the SHA-256 of %s is another one".formatted(file.name()));
  }

  /** If the digest is right, this finds a program that wrote nonsense, not a disk that lost it. */
  private Optional<String> counted(BackupFile file, InputStream in) throws IOException {
    long records = 0;
    try (BackupFileReader reader =
        BackupFileReader.of(new NonClosingInputStream(in), file, store.location(file.name()))) {
      while (reader.next().isPresent()) {
        records++;
      }
    } catch (BackupStoreException e) {
      throw e;
    } catch (BackupException e) {
      return Optional.of("damaged: " + e.getMessage());
    }
    return records == file.records()
        ? Optional.empty()
        : Optional.of(
            "damaged: %s has %d records; expected %d"
                .formatted(file.name(), records, file.records()));
  }

  /** A stream that is read on after its reader is closed. */
  private static final class NonClosingInputStream extends FilterInputStream {

    NonClosingInputStream(InputStream in) {
      super(in);
    }

    @Override
    public void close() {
      // The caller closes it.
    }
  }
}
