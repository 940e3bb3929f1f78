package io.ensemble.catalog.definition;

import io.ensemble.catalog.record.CatalogDirectory;
import io.ensemble.catalog.record.CatalogException;
import io.ensemble.catalog.record.CatalogException.Reason;
import io.ensemble.catalog.record.CatalogRecords;
import io.ensemble.catalog.record.FileRecords;
import java.nio.file.Path;

/**
 * A catalog in a directory, one text file for each cache, which the processes of one machine may
 * share. Thread-safe.
 *
 * <p>A change is written to a temporary file, forced to disk, and moved over the old file
 * atomically. Readers therefore need no lock and see the old record or the new one, also after a
 * crash, and a full disk loses nothing. Changes hold a lock on the file {@code .lock}, which the
 * operating system releases when the process ends. A file that cannot be read is reported with its
 * path and never overwritten.
 *
 * <p>While the directory is missing, or another one is in its place, every call fails with {@link
 * Reason#UNAVAILABLE}, and no cache counts as deleted. A copy of the directory has the same {@link
 * #id()}; never use it together with the original.
 *
 * <p>Files are read and written on a thread of this object, which ends when idle; stages complete
 * on it.
 */
public final class FileDefinitions extends RecordDefinitions {

  private FileDefinitions(CatalogRecords records) {
    super(records);
  }

  /**
   * Opens the catalog in {@code directory}, which is created if it does not exist.
   *
   * @throws CatalogException if it cannot be created, or is not a directory
   */
  public static FileDefinitions in(Path directory) {
    return new FileDefinitions(new FileRecords(CatalogDirectory.in(directory)));
  }
}
