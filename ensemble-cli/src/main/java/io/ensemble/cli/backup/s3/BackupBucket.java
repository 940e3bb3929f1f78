package io.ensemble.cli.backup.s3;

import io.ensemble.cli.backup.format.BackupException;
import io.ensemble.cli.backup.format.BackupOutput;
import io.ensemble.cli.backup.format.BackupStore;
import io.ensemble.cli.backup.format.BackupStoreException;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashMap;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Spliterators;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.regions.providers.DefaultAwsRegionProviderChain;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;

/**
 * The objects of a bucket below a prefix. A file is an object of the same name. An object appears
 * complete or not at all, and each request has the MD5 of its content, which the store compares.
 *
 * <p>{@link #save} is conditional on the object that this store has loaded or saved last. Of two
 * runs on one backup, one therefore fails when it saves the manifest. Other objects have names that
 * only one run uses.
 */
public final class BackupBucket implements BackupStore {

  /** The size of a request, which bounds its memory and its time. */
  static final int REQUEST_BYTES = 8 << 20;

  /** The most parts of an object. */
  static final int MOST_PARTS = 10_000;

  /** The largest file that fits for certain: {@value #MOST_PARTS} parts less a record. */
  public static final long LARGEST_FILE_SIZE = 64L << 30;

  private static final int MOST_ATTEMPTS = 3;
  private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(10);
  private static final long CONFLICT_PAUSE_MILLIS = 500;
  private static final String BINARY = "application/octet-stream";
  private static final String ANY = "*";

  /** The beginning of the names of objects by which conditional writes are tested. */
  private static final String CONDITIONS = "conditional-write-test-";

  /** No object has this entity tag. */
  private static final String NEVER = "\"00000000000000000000000000000000\"";

  private final S3Client client;
  private final BucketAddress address;
  private final BucketRequests requests;
  private final String endpoint;

  /** The entity tags of the objects that were loaded or saved. */
  private final Map<String, String> tags = new HashMap<>();

  private BackupBucket(S3Client client, BucketAddress address, String endpoint) {
    this.client = client;
    this.address = address;
    this.endpoint = endpoint;
    this.requests = new BucketRequests(address.bucket(), endpoint);
  }

  /**
   * Opens the location, with the credentials of the AWS environment or profile. Makes no request
   * for an object.
   */
  public static BackupBucket open(BucketAddress address, BucketSettings settings) {
    Duration timeout = settings.timeout();
    Duration connection = timeout.compareTo(CONNECTION_TIMEOUT) < 0 ? timeout : CONNECTION_TIMEOUT;
    String endpoint = settings.endpoint().map(Object::toString).orElse("Amazon S3");
    try {
      S3ClientBuilder builder =
          S3Client.builder()
              .httpClientBuilder(
                  UrlConnectionHttpClient.builder()
                      .connectionTimeout(connection)
                      .socketTimeout(timeout))
              .credentialsProvider(DefaultCredentialsProvider.builder().build())
              .region(region(settings))
              .forcePathStyle(settings.endpoint().isPresent())
              // Requests have an MD5 instead, which every S3-compatible store compares.
              .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
              .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
              .serviceConfiguration(s3 -> s3.chunkedEncodingEnabled(false))
              .overrideConfiguration(
                  all ->
                      all.apiCallAttemptTimeout(timeout)
                          .apiCallTimeout(timeout.multipliedBy(MOST_ATTEMPTS + 1))
                          .retryStrategy(
                              AwsRetryStrategy.standardRetryStrategy().toBuilder()
                                  .maxAttempts(MOST_ATTEMPTS)
                                  .build()));
      settings.endpoint().ifPresent(builder::endpointOverride);
      return new BackupBucket(builder.build(), address, endpoint);
    } catch (SdkException e) {
      throw new BackupStoreException(
          "cannot use the bucket: %s; bucket=%s endpoint=%s; set AWS_REGION or --s3-region"
              .formatted(e.getMessage(), address.bucket(), endpoint),
          e);
    }
  }

  private static Region region(BucketSettings settings) {
    if (settings.region().isPresent()) {
      return Region.of(settings.region().get());
    }
    try {
      return new DefaultAwsRegionProviderChain().getRegion();
    } catch (SdkException e) {
      if (settings.endpoint().isEmpty()) {
        throw e;
      }
      return Region.US_EAST_1; // Other stores ignore the region, or have this one.
    }
  }

  @Override
  public String location() {
    return "bucket=%s prefix=%s endpoint=%s"
        .formatted(address.bucket(), address.prefix(), endpoint);
  }

  @Override
  public String location(String name) {
    return "bucket=%s key=%s/%s endpoint=%s"
        .formatted(address.bucket(), address.prefix(), name, endpoint);
  }

  /** Ends uploads, as far as the store lists them. A run that is still at work fails. */
  @Override
  public void removeIncomplete() {
    requests.require(
        "end the former uploads",
        address.prefix(),
        () -> {
          client
              .listMultipartUploadsPaginator(
                  all -> all.bucket(address.bucket()).prefix(address.prefix() + "/"))
              .uploads()
              .forEach(this::abort);
          return true;
        });
  }

  /** Refuses a store that ignores the conditions of a write. */
  @Override
  public void claim() {
    requireConditions();
  }

  /** Another run may have ended the upload meanwhile. */
  private void abort(MultipartUpload upload) {
    requests.find(
        "end a former upload",
        upload.key(),
        () ->
            client.abortMultipartUpload(
                one -> one.bucket(address.bucket()).key(upload.key()).uploadId(upload.uploadId())));
  }

  /** A store that ignores conditions would let two runs write one backup. */
  private void requireConditions() {
    String name = CONDITIONS + UUID.randomUUID();
    try {
      boolean unused = put(name, new byte[0], ANY, null); // Refused if an answer was lost.
      if (put(name, new byte[0], ANY, null) || put(name, new byte[0], null, NEVER)) {
        throw new BackupStoreException(
            "the store ignores the conditions of a write (If-None-Match, If-Match), by which two"
                + " runs are kept apart; "
                + location(name)
                + "; use another store, or a directory");
      }
    } finally {
      delete(name);
    }
  }

  @Override
  public Stream<String> names() {
    Iterator<S3Object> objects =
        client
            .listObjectsV2Paginator(
                list -> list.bucket(address.bucket()).prefix(address.prefix() + "/"))
            .contents()
            .iterator();
    Iterator<String> names =
        new Iterator<>() {
          @Override
          public boolean hasNext() {
            return requests.require(
                "list the objects of the backup", address.prefix(), objects::hasNext);
          }

          @Override
          public String next() {
            return address.name(objects.next().key());
          }
        };
    return StreamSupport.stream(Spliterators.spliteratorUnknownSize(names, 0), false)
        .filter(name -> !name.isEmpty() && !name.endsWith("/")); // A console's directories.
  }

  @Override
  public boolean isTemporary(String name) {
    return name.startsWith(CONDITIONS);
  }

  @Override
  public OptionalLong size(String name) {
    return head(name)
        .map(found -> OptionalLong.of(found.contentLength()))
        .orElseGet(OptionalLong::empty);
  }

  /** A store refuses a request for the head of an object without saying why. */
  private Optional<HeadObjectResponse> head(String name) {
    String key = address.key(name);
    return requests.find(
        "read the object",
        key,
        () -> client.headObject(one -> one.bucket(address.bucket()).key(key)));
  }

  @Override
  public InputStream read(String name) {
    HeadObjectResponse head =
        head(name)
            .orElseThrow(
                () -> new BackupStoreException("the object is missing; " + location(name)));
    return new BucketInput(
        client, requests, address.bucket(), address.key(name), head.contentLength(), head.eTag());
  }

  @Override
  public Optional<byte[]> load(String name) {
    String key = address.key(name);
    Optional<ResponseBytes<GetObjectResponse>> found =
        requests.find(
            "read the object",
            key,
            () -> client.getObjectAsBytes(one -> one.bucket(address.bucket()).key(key)));
    tags.remove(name);
    found.ifPresent(one -> tags.put(name, one.response().eTag()));
    return found.map(ResponseBytes::asByteArray);
  }

  /**
   * Of a request whose answer was lost, the repeated one is refused; the object then has the
   * content of this run.
   */
  @Override
  public void save(String name, byte[] content) {
    String tag = tags.get(name);
    boolean isSaved = tag == null ? put(name, content, ANY, null) : put(name, content, null, tag);
    if (!isSaved) {
      Optional<byte[]> present = load(name);
      if (present.isEmpty() || !Arrays.equals(present.get(), content)) {
        throw new BackupException(
            "another run writes this backup, and this one ends; " + location(name));
      }
    }
  }

  /** Whether the store accepted the object; false if the condition does not hold. */
  private boolean put(
      String name, byte[] content, @Nullable String ifNoneMatch, @Nullable String ifMatch) {
    String key = address.key(name);
    PutObjectRequest request =
        PutObjectRequest.builder()
            .bucket(address.bucket())
            .key(key)
            .contentMD5(md5(content, content.length))
            .ifNoneMatch(ifNoneMatch)
            .ifMatch(ifMatch)
            .build();
    for (int attempt = 1; ; attempt++) {
      try {
        tags.put(name, client.putObject(request, RequestBody.fromBytes(content)).eTag());
        return true;
      } catch (S3Exception e) {
        if (isCondition(e, ifMatch)) {
          return false;
        }
        if (e.statusCode() != BucketRequests.CONFLICT || attempt == MOST_ATTEMPTS) {
          throw requests.failure("write the object", key, e);
        }
        pause(attempt);
      } catch (SdkException e) {
        throw requests.failure("write the object", key, e);
      }
    }
  }

  private static void pause(int attempt) {
    try {
      boolean unused =
          new CountDownLatch(1).await(CONFLICT_PAUSE_MILLIS * attempt, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether an error says that the object is not the expected one. */
  private static boolean isCondition(S3Exception e, @Nullable String ifMatch) {
    return switch (e.statusCode()) {
      case BucketRequests.PRECONDITION_FAILED -> true;
      case BucketRequests.NOT_FOUND ->
          ifMatch != null && BucketRequests.code(e).equals("NoSuchKey");
      default -> false;
    };
  }

  @Override
  public BackupOutput create(String name) {
    return new BucketOutput(client, requests, address.bucket(), address.key(name));
  }

  @Override
  public void delete(String name) {
    String key = address.key(name);
    requests.find(
        "delete the object",
        key,
        () -> client.deleteObject(one -> one.bucket(address.bucket()).key(key)));
    tags.remove(name);
  }

  @Override
  public void close() {
    client.close();
  }

  /** The body of a request, which can be sent again. */
  static RequestBody body(byte[] bytes, int length) {
    return RequestBody.fromContentProvider(
        () -> new ByteArrayInputStream(bytes, 0, length), length, BINARY);
  }

  /** The MD5 of the first bytes, as requests have it. */
  static String md5(byte[] bytes, int length) {
    try {
      MessageDigest digest = MessageDigest.getInstance("MD5");
      digest.update(bytes, 0, length);
      return Base64.getEncoder().encodeToString(digest.digest());
    } catch (NoSuchAlgorithmException e) {
      throw new AssertionError("every JDK has MD5", e);
    }
  }
}
