package io.ensemble.cli.backup.format;

import io.ensemble.cli.backup.format.BackupManifest.BackupFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** Compares the files of a backup with its manifest. Reads every byte, and changes nothing. */
public final class BackupVerifier {

  private final Path root;

  public BackupVerifier(Path root) {
    this.root = root;
  }

  /**
   * The problems of these files, one line each; none if they are in order.
   *
   * @param progress receives the name of each file before it is read
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
    Path path = BackupDirectory.below(root, file.name());
    if (!Files.isRegularFile(path)) {
      return Optional.of("missing: " + file.name());
    }
    try {
      long size = Files.size(path);
      if (size != file.bytes()) {
        return Optional.of(
            "damaged: %s has %d bytes; expected %d".formatted(file.name(), size, file.bytes()));
      }
      if (!FileDigest.of(path).equals(file.sha256())) {
        return Optional.of("damaged: the SHA-256 of %s is another one".formatted(file.name()));
      }
      return counted(file);
    } catch (IOException e) {
      return Optional.of("unreadable: %s: %s".formatted(file.name(), e.getMessage()));
    }
  }

  /** The digest is right, so this finds a program that wrote nonsense, not a disk that lost it. */
  private Optional<String> counted(BackupFile file) {
    long records = 0;
    try (BackupFileReader reader = BackupFileReader.open(root, file)) {
      while (reader.next().isPresent()) {
        records++;
      }
    } catch (BackupException e) {
      return Optional.of("damaged: " + e.getMessage());
    }
    return records == file.records()
        ? Optional.empty()
        : Optional.of(
            "damaged: %s has %d records; expected %d"
                .formatted(file.name(), records, file.records()));
  }
}
