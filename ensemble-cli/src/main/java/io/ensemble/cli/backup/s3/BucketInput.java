package io.ensemble.cli.backup.s3;

import io.ensemble.cli.backup.format.BackupStoreException;
import java.io.InputStream;
import java.util.Objects;
import software.amazon.awssdk.services.s3.S3Client;

/**
 * Reads an object in ranges, each by a request that is repeated as a whole, so that no connection
 * has to last as long as the object is read. All ranges are of the same object.
 */
final class BucketInput extends InputStream {

  private final S3Client client;
  private final BucketRequests requests;
  private final String bucket;
  private final String key;
  private final long size;
  private final String tag;

  private long position;
  private byte[] range = new byte[0];
  private int at;

  BucketInput(
      S3Client client, BucketRequests requests, String bucket, String key, long size, String tag) {
    this.client = client;
    this.requests = requests;
    this.bucket = bucket;
    this.key = key;
    this.size = size;
    this.tag = tag;
  }

  @Override
  public int read() {
    return fill() ? range[at++] & 0xff : -1;
  }

  @Override
  public int read(byte[] bytes, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    if (length == 0) {
      return 0;
    }
    if (!fill()) {
      return -1;
    }
    int copied = Math.min(length, range.length - at);
    System.arraycopy(range, at, bytes, offset, copied);
    at += copied;
    return copied;
  }

  /** Whether there is a byte to read. */
  private boolean fill() {
    if (at < range.length) {
      return true;
    }
    if (position == size) {
      return false;
    }
    long end = Math.min(size, position + BackupBucket.REQUEST_BYTES);
    range =
        requests.require(
            "read the object",
            key,
            () ->
                client
                    .getObjectAsBytes(
                        one ->
                            one.bucket(bucket)
                                .key(key)
                                .ifMatch(tag)
                                .range("bytes=%d-%d".formatted(position, end - 1)))
                    .asByteArrayUnsafe());
    if (range.length != end - position) {
      throw new BackupStoreException(
          "the store sent %d bytes; expected %d; bucket=%s key=%s"
              .formatted(range.length, end - position, bucket, key));
    }
    position = end;
    at = 0;
    return true;
  }
}
