package io.ensemble.cli.backup.format;

import io.ensemble.cli.backup.format.BackupManifest.BackupFile;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.security.DigestOutputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Writes records to files of bounded size. For one thread at a time. */
public final class BackupFileWriter implements AutoCloseable {

  private static final int BUFFER = 1 << 16;

  private final BackupStore store;
  private final String prefix;
  private final long maxBytes;
  private final UnaryOperator<OutputStream> device;
  private final List<BackupFile> files = new ArrayList<>();
  private @Nullable OpenFile open;

  private record OpenFile(
      String name, BackupOutput file, MessageDigest digest, DataOutputStream out, long[] counts) {}

  /**
   * @param prefix the beginning of the files' names
   * @param maxBytes the maximum size of a file, unless it holds one record only
   */
  public BackupFileWriter(BackupStore store, String prefix, long maxBytes) {
    this(store, prefix, maxBytes, out -> out);
  }

  /**
   * @param device stands between the writer and the file, for tests
   */
  BackupFileWriter(
      BackupStore store, String prefix, long maxBytes, UnaryOperator<OutputStream> device) {
    this.store = store;
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
      throw StoredBackup.unwritable(store.location(name), e);
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
        throw StoredBackup.unwritable(store.location(name), e);
      }
    }
    return List.copyOf(files);
  }

  private OpenFile begin() throws IOException {
    String name = "%s-%06d.records".formatted(prefix, files.size() + 1);
    BackupOutput file = store.create(name);
    MessageDigest digest = FileDigest.sha256();
    DataOutputStream out =
        new DataOutputStream(
            new BufferedOutputStream(new DigestOutputStream(device.apply(file), digest), BUFFER));
    BackupRecordCodec.writeHeader(out);
    return new OpenFile(name, file, digest, out, new long[] {0, BackupRecordCodec.HEADER});
  }

  private void finish(OpenFile one) throws IOException {
    one.out().flush();
    one.file().complete();
    files.add(
        new BackupFile(
            one.name(),
            one.counts()[0],
            one.counts()[1],
            HexFormat.of().formatHex(one.digest().digest())));
  }

  /** Abandons a file that is not complete; complete ones stay. */
  @Override
  public void close() {
    if (open != null) {
      try {
        open.file().close();
      } catch (IOException | BackupException e) {
        // The next run removes it.
      }
      open = null;
    }
  }
}
