package io.ensemble.cli.backup.format;

import java.io.IOException;
import java.io.InputStream;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.stream.Stream;

/**
 * The location of a backup: named files, in a directory or in a bucket. The parts of a name are
 * separated by {@code /}. Nothing is read or created before the first call. For one thread at a
 * time.
 */
public interface BackupStore extends AutoCloseable {

  /** The location of the backup, for messages: names and values with equals signs. */
  String location();

  /** The location of a file, for messages. */
  String location(String name);

  /**
   * Begins a run that writes. A second run at the same time is refused, here or when it calls
   * {@link #save}.
   *
   * @throws BackupException if another run is known to write
   */
  void claim() throws IOException;

  /** The names of all files; the caller closes the stream. */
  Stream<String> names() throws IOException;

  /** Whether a file of this name is of no use after its run, and may be there before a manifest. */
  boolean isTemporary(String name);

  /** The size of a file; empty if there is none. */
  OptionalLong size(String name) throws IOException;

  /** Opens a file that exists. */
  InputStream read(String name) throws IOException;

  /** The content of a small file; empty if there is none. */
  Optional<byte[]> load(String name) throws IOException;

  /**
   * Writes a small file, replacing the one that this store has loaded or saved last. A reader finds
   * the former content or the new one.
   *
   * @throws BackupException if another run has written the file since
   */
  void save(String name, byte[] content) throws IOException;

  /** Begins a file of a name that no other run uses. */
  BackupOutput create(String name) throws IOException;

  /** Removes what runs before this one have written of files that they have not completed. */
  void removeIncomplete() throws IOException;

  /** Deletes a file, if it is there. */
  void delete(String name) throws IOException;

  /** Ends the run. */
  @Override
  void close();
}
