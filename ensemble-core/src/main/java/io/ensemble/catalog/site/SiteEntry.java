package io.ensemble.catalog.site;

import io.ensemble.NameRules;
import io.ensemble.placement.ReplicaName;
import io.ensemble.site.hotrod.configuration.Credentials;
import io.ensemble.site.hotrod.configuration.Endpoint;
import io.ensemble.site.hotrod.configuration.SiteStorage;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * A site as the catalog holds it: its endpoints, credentials, storage and state. Contains
 * references to passwords, which each process resolves locally, not the passwords.
 *
 * @param name the site's name
 * @param endpoints of some of its nodes; the others are learnt from them
 * @param credentials the credentials of clients; empty if the site requires none
 * @param tls the TLS settings; empty for clear text
 * @param storage where it keeps its stores
 * @param labels properties such as {@code region=eu}: at most {@value #MOST_LABELS}, names and
 *     values of 1 to 64 of {@code a-z 0-9 . _ / -}
 * @param state whether caches may be placed there
 * @param revision grows by one with every change of this record; 1 at first
 */
public record SiteEntry(
    String name,
    List<Endpoint> endpoints,
    Optional<CredentialsReference> credentials,
    Optional<TlsReference> tls,
    SiteStorage storage,
    Map<String, String> labels,
    State state,
    long revision) {

  /** The most labels of a site. */
  public static final int MOST_LABELS = 32;

  private static final Pattern LABEL = Pattern.compile("[a-z0-9._/-]{1,64}");

  /** Whether caches may be placed at a site. */
  public enum State {
    /** Caches may be placed there. */
    SERVING,
    /** No caches may be placed there; those that are there move away. */
    DRAINING
  }

  /**
   * A reference to a password.
   *
   * @param file a file that holds it
   * @param variable an environment variable that holds it
   */
  public record SecretReference(Optional<String> file, Optional<String> variable) {

    /**
     * @throws IllegalArgumentException unless exactly one is given
     */
    public SecretReference {
      if (file.isPresent() == variable.isPresent()) {
        throw new IllegalArgumentException(
            "the password must be in a file or an environment variable");
      }
    }
  }

  /**
   * The identity of clients.
   *
   * @param password a reference to it; empty for the mechanism EXTERNAL, and only for that
   * @param mechanism the SASL mechanism; empty for SCRAM-SHA-512
   */
  public record CredentialsReference(
      String user, Optional<SecretReference> password, Optional<String> mechanism) {

    /**
     * @throws IllegalArgumentException if a password is missing, or is given for EXTERNAL
     */
    public CredentialsReference {
      if (password.isPresent() == mechanism.equals(Optional.of(Credentials.EXTERNAL))) {
        throw new IllegalArgumentException(
            ("credentials require a password, except with the mechanism EXTERNAL; user=%s "
                    + "mechanism=%s")
                .formatted(user, mechanism.orElse(Credentials.SCRAM_SHA_512)));
      }
    }

    /** A user with a password. */
    public CredentialsReference(String user, SecretReference password, Optional<String> mechanism) {
      this(user, Optional.of(password), mechanism);
    }

    /** The identity in the client certificate. */
    public static CredentialsReference ofCertificate() {
      return new CredentialsReference(
          Credentials.CERTIFICATE, Optional.empty(), Optional.of(Credentials.EXTERNAL));
    }
  }

  /**
   * The trusted issuers, and the client certificate if the site requires one.
   *
   * @param trustStore a PKCS12, JKS or PEM file
   * @param password of the store; empty for PEM
   * @param keyStore a PKCS12 or JKS file of the client's key and certificate; empty for none
   * @param keyStorePassword of that store; empty without one
   * @param sniHostName the name on the site's certificate; empty for the first endpoint's
   * @param revocationList a file with revocation lists, as {@link
   *     io.ensemble.site.hotrod.configuration.Tls#withRevocationList}; empty for none
   */
  public record TlsReference(
      String trustStore,
      Optional<SecretReference> password,
      Optional<String> keyStore,
      Optional<SecretReference> keyStorePassword,
      Optional<String> sniHostName,
      Optional<String> revocationList) {

    /**
     * @throws IllegalArgumentException if a key store comes without a password, or the reverse
     */
    public TlsReference {
      if (keyStore.isPresent() != keyStorePassword.isPresent()) {
        throw new IllegalArgumentException(
            "a key store requires its password; got " + keyStore.orElse("none"));
      }
    }

    /** Settings without a client certificate. */
    public TlsReference(
        String trustStore, Optional<SecretReference> password, Optional<String> sniHostName) {
      this(trustStore, password, Optional.empty(), Optional.empty(), sniHostName);
    }

    /** Settings without a check of revocation. */
    public TlsReference(
        String trustStore,
        Optional<SecretReference> password,
        Optional<String> keyStore,
        Optional<SecretReference> keyStorePassword,
        Optional<String> sniHostName) {
      this(trustStore, password, keyStore, keyStorePassword, sniHostName, Optional.empty());
    }
  }

  /**
   * @throws IllegalArgumentException naming the invalid component
   */
  public SiteEntry {
    NameRules.check("site name", name);
    if (ReplicaName.isReserved(name)) {
      throw new IllegalArgumentException(
          "a site name must not end with '/' and a number, as replica names do; site=" + name);
    }
    endpoints = List.copyOf(endpoints);
    labels = Collections.unmodifiableMap(new TreeMap<>(labels));
    if (endpoints.isEmpty() || new HashSet<>(endpoints).size() < endpoints.size()) {
      throw new IllegalArgumentException(
          "a site requires endpoints, each listed once; site=%s endpoints=%s"
              .formatted(name, endpoints));
    }
    if (labels.size() > MOST_LABELS) {
      throw new IllegalArgumentException(
          "a site must have at most %d labels; site=%s got=%d"
              .formatted(MOST_LABELS, name, labels.size()));
    }
    labels.forEach(
        (label, value) -> {
          if (!LABEL.matcher(label).matches() || !LABEL.matcher(value).matches()) {
            throw new IllegalArgumentException(
                "a label must be name=value, each with 1 to 64 of a-z 0-9 . _ / -; got '%s=%s'"
                    .formatted(label, value));
          }
        });
    if (revision < 1) {
      throw new IllegalArgumentException("revision must be 1 or more; got " + revision);
    }
  }

  /** The first record of a site that requires no credentials. */
  public static SiteEntry open(String name, List<Endpoint> endpoints, SiteStorage storage) {
    return new SiteEntry(
        name, endpoints, Optional.empty(), Optional.empty(), storage, Map.of(), State.SERVING, 1);
  }

  /** The next revision, at other endpoints. */
  public SiteEntry at(List<Endpoint> others) {
    return new SiteEntry(name, others, credentials, tls, storage, labels, state, revision + 1);
  }

  /** The next revision, with other labels. */
  public SiteEntry labelled(Map<String, String> others) {
    return new SiteEntry(name, endpoints, credentials, tls, storage, others, state, revision + 1);
  }

  /** The next revision, in another state. */
  public SiteEntry in(State other) {
    return new SiteEntry(name, endpoints, credentials, tls, storage, labels, other, revision + 1);
  }
}
