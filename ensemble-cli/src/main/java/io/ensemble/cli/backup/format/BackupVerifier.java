package io.ensemble.cli.backup.format;

import io.ensemble.cli.backup.format.BackupManifest.BackupFile;
import java.io.IOException;
import java.util.ArrayList;
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
      return unreadable(file);
    } catch (IOException e) {
      return Optional.of("unreadable: %s: %s".formatted(file.name(), e.getMessage()));
    }
  }

  private Optional<String> unreadable(BackupFile file) {
    try (BackupFileReader reader = BackupFileReader.open(store, file)) {
      Optional<BackupRecord> next = reader.next();
      while (next.isPresent()) {
        next = reader.next();
      }
      return Optional.empty();
    } catch (BackupStoreException e) {
      throw e;
    } catch (UnknownBackupFormatException e) { // The manifest has this format, so its files have.
      return Optional.of("damaged: the header of %s is another one".formatted(file.name()));
    } catch (BackupException e) {
      return Optional.of(String.valueOf(e.getMessage()));
    }
  }
}
