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
 * <p>A change is written to a file beside, forced to disk, and moved over the old one in one step:
 * readers need no lock and see the old record or the new one, whatever crashes, and a full disk
 * loses nothing. Changes hold a lock on the file {@code .lock}; the operating system releases it
 * with its process. A file that cannot be read is reported with its path and never overwritten.
 * While the directory is away, or another is in its place, every call fails with {@link
 * Reason#UNAVAILABLE}: no cache counts as deleted for that. A copy of the directory has the same
 * {@link #id()}; never use it beside the original.
 *
 * <p>Files are touched on a thread of this object, which ends when it has nothing to do; stages
 * complete on it.
 */
public final class FileDefinitions extends RecordDefinitions {

  private FileDefinitions(CatalogRecords records) {
    super(records);
  }

  /**
   * The catalog in {@code directory}, which is made if it is not there.
   *
   * @throws CatalogException if it cannot be made, or is not a directory
   */
  public static FileDefinitions in(Path directory) {
    return new FileDefinitions(new FileRecords(CatalogDirectory.in(directory)));
  }
}
