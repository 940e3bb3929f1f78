package io.ensemble.cli.backup.format;

import java.io.IOException;
import java.io.OutputStream;

/** A file that is being written. There is no file of its name until it is complete. */
public abstract class BackupOutput extends OutputStream {

  /** Makes the file durable under its name. */
  public abstract void complete() throws IOException;

  /** Abandons a file that is not complete. */
  @Override
  public abstract void close() throws IOException;
}
