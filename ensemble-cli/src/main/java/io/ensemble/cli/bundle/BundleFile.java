package io.ensemble.cli.bundle;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;

/** Writes a bundle for its owner alone. */
final class BundleFile {

  private BundleFile() {}

  /**
   * Writes a new archive. Equal entries make equal bytes: names are sorted, and entries have no
   * time.
   *
   * @throws FileAlreadyExistsException if the file exists; it is not changed
   * @throws IOException if it cannot be written; then there is no file
   */
  static void write(Path file, SortedMap<String, byte[]> entries) throws IOException {
    boolean posix = file.getFileSystem().supportedFileAttributeViews().contains("posix");
    FileAttribute<?>[] owner =
        posix
            ? new FileAttribute<?>[] {
              PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"))
            }
            : new FileAttribute<?>[0];
    FileChannel channel =
        FileChannel.open(
            file, Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE), owner);
    try (OutputStream out = Channels.newOutputStream(channel);
        ZipOutputStream zip = new ZipOutputStream(out)) {
      for (Map.Entry<String, byte[]> one : entries.entrySet()) {
        ZipEntry entry = new ZipEntry(one.getKey());
        entry.setTime(0);
        zip.putNextEntry(entry);
        zip.write(one.getValue());
        zip.closeEntry();
      }
    } catch (IOException e) {
      Files.deleteIfExists(file);
      throw e;
    }
  }
}
