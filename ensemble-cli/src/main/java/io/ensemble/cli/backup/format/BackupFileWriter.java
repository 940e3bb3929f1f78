package io.ensemble.cli.backup.format;

import io.ensemble.cli.backup.format.BackupManifest.BackupFile;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Writes records to files of bounded size. A file has a temporary name until it is complete: its
 * bytes are forced to the disk, then it is renamed. For one thread at a time.
 */
public final class BackupFileWriter implements AutoCloseable {

  private static final int BUFFER = 1 << 16;
  private static final String TEMPORARY = ".tmp";

  private final Path root;
  private final String prefix;
  private final long maxBytes;
  private final UnaryOperator<OutputStream> device;
  private final List<BackupFile> files = new ArrayList<>();
  private @Nullable OpenFile open;

  private record OpenFile(
      String name,
      Path temporary,
      FileChannel channel,
      MessageDigest digest,
      DataOutputStream out,
      long[] counts) {}

  /**
   * @param root the directory of the backup
   * @param prefix the beginning of the files' names below {@code root}
   * @param maxBytes the maximum size of a file, unless it holds one record only
   */
  public BackupFileWriter(Path root, String prefix, long maxBytes) {
    this(root, prefix, maxBytes, out -> out);
  }

  /**
   * @param device stands between the writer and the file, for tests
   */
  BackupFileWriter(Path root, String prefix, long maxBytes, UnaryOperator<OutputStream> device) {
    this.root = root;
    this.prefix = prefix;
    this.maxBytes = maxBytes;
    this.device = device;
  }

  /** Writes a record; begins another file if this one would be too large. */
  public void write(BackupRecord record) {
    String name = open == null ? prefix : open.name();
    try {
      long size = BackupRecordCodec.size(record);
      if (open != null && open.counts()[0] > 0 && open.counts()[1] + size > maxBytes) {
        finish(open);
        open = null;
      }
      if (open == null) {
        open = begin();
      }
      name = open.name();
      BackupRecordCodec.write(open.out(), record);
      open.counts()[0]++;
      open.counts()[1] += size;
    } catch (IOException e) {
      throw BackupDirectory.unwritable(root.resolve(name), e);
    }
  }

  /** Completes the last file, and returns all files; none if there was no record. */
  public List<BackupFile> finish() {
    if (open != null) {
      String name = open.name();
      try {
        finish(open);
        open = null;
      } catch (IOException e) {
        throw BackupDirectory.unwritable(root.resolve(name), e);
      }
    }
    return List.copyOf(files);
  }

  private OpenFile begin() throws IOException {
    String name = "%s-%06d.records".formatted(prefix, files.size() + 1);
    Path temporary = root.resolve(name + TEMPORARY);
    Files.deleteIfExists(temporary); // Of a run that was interrupted.
    FileChannel channel = BackupDirectory.create(temporary);
    MessageDigest digest = FileDigest.sha256();
    DataOutputStream out =
        new DataOutputStream(
            new BufferedOutputStream(
                new DigestOutputStream(device.apply(Channels.newOutputStream(channel)), digest),
                BUFFER));
    BackupRecordCodec.writeHeader(out);
    return new OpenFile(
        name, temporary, channel, digest, out, new long[] {0, BackupRecordCodec.HEADER});
  }

  private void finish(OpenFile file) throws IOException {
    file.out().flush();
    file.channel().force(true);
    file.out().close();
    Path complete = root.resolve(file.name());
    Path directory = Objects.requireNonNullElse(complete.getParent(), root);
    Files.move(file.temporary(), complete, StandardCopyOption.ATOMIC_MOVE);
    BackupDirectory.force(directory);
    files.add(
        new BackupFile(
            file.name(),
            file.counts()[0],
            file.counts()[1],
            HexFormat.of().formatHex(file.digest().digest())));
  }

  /** Abandons a file that is not complete; complete ones stay. */
  @Override
  public void close() {
    if (open != null) {
      try {
        open.channel().close();
        Files.deleteIfExists(open.temporary());
      } catch (IOException e) {
        // It has its temporary name, and the next run removes it.
      }
      open = null;
    }
  }
}
