package io.ensemble.cli.backup.s3;

import io.ensemble.cli.backup.format.BackupOutput;
import io.ensemble.cli.backup.format.BackupStoreException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.S3Exception;

/**
 * Writes an object: in one request if it is small, else in parts. The parts of an object that is
 * not completed are no object.
 */
final class BucketOutput extends BackupOutput {

  private static final int SMALLEST_BUFFER = 1 << 16;

  private final S3Client client;
  private final BucketRequests requests;
  private final String bucket;
  private final String key;

  private byte[] part = new byte[SMALLEST_BUFFER];
  private int filled;
  private long size;
  private final List<CompletedPart> parts = new ArrayList<>();
  private @Nullable String upload;

  BucketOutput(S3Client client, BucketRequests requests, String bucket, String key) {
    this.client = client;
    this.requests = requests;
    this.bucket = bucket;
    this.key = key;
  }

  @Override
  public void write(int one) {
    write(new byte[] {(byte) one}, 0, 1);
  }

  @Override
  public void write(byte[] bytes, int offset, int length) {
    Objects.checkFromIndexSize(offset, length, bytes.length);
    int from = offset;
    int left = length;
    while (left > 0) {
      if (filled == BackupBucket.REQUEST_BYTES) {
        sendPart();
      }
      if (filled == part.length) {
        part = Arrays.copyOf(part, Math.min(2 * part.length, BackupBucket.REQUEST_BYTES));
      }
      int copied = Math.min(left, part.length - filled);
      System.arraycopy(bytes, from, part, filled, copied);
      filled += copied;
      size += copied;
      from += copied;
      left -= copied;
    }
  }

  private void sendPart() {
    int number = parts.size() + 1;
    if (number > BackupBucket.MOST_PARTS) {
      throw new BackupStoreException(
          "an object must have at most %d parts of %d bytes; bucket=%s key=%s; choose a smaller"
                  .formatted(BackupBucket.MOST_PARTS, BackupBucket.REQUEST_BYTES, bucket, key)
              + " --file-size");
    }
    if (upload == null) {
      upload =
          requests.require(
              "begin to write the object",
              key,
              () -> client.createMultipartUpload(one -> one.bucket(bucket).key(key)).uploadId());
    }
    String id = upload;
    String tag =
        requests.require(
            "write a part of the object",
            key,
            () ->
                client
                    .uploadPart(
                        one ->
                            one.bucket(bucket)
                                .key(key)
                                .uploadId(id)
                                .partNumber(number)
                                .contentMD5(BackupBucket.md5(part, filled)),
                        BackupBucket.body(part, filled))
                    .eTag());
    parts.add(CompletedPart.builder().partNumber(number).eTag(tag).build());
    filled = 0;
  }

  @Override
  public void complete() {
    if (upload == null) {
      requests.require(
          "write the object",
          key,
          () ->
              client.putObject(
                  one -> one.bucket(bucket).key(key).contentMD5(BackupBucket.md5(part, filled)),
                  BackupBucket.body(part, filled)));
      return;
    }
    if (filled > 0) {
      sendPart();
    }
    completeUpload(upload);
    upload = null;
  }

  /** If an answer was lost, the repeated request finds no upload, and the object is there. */
  private void completeUpload(String id) {
    try {
      client.completeMultipartUpload(
          one -> one.bucket(bucket).key(key).uploadId(id).multipartUpload(all -> all.parts(parts)));
    } catch (S3Exception e) {
      if (e.statusCode() != BucketRequests.NOT_FOUND || !isThere()) {
        throw requests.failure("complete the object", key, e);
      }
    } catch (SdkException e) {
      throw requests.failure("complete the object", key, e);
    }
  }

  private boolean isThere() {
    return requests
        .find(
            "read the object",
            key,
            () -> client.headObject(one -> one.bucket(bucket).key(key)).contentLength())
        .filter(found -> found == size)
        .isPresent();
  }

  @Override
  public void close() {
    if (upload != null) {
      String id = upload;
      upload = null;
      requests.find(
          "end the upload of the object",
          key,
          () -> client.abortMultipartUpload(one -> one.bucket(bucket).key(key).uploadId(id)));
    }
  }
}
