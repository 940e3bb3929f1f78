package io.ensemble.testkit.keys;

import java.math.BigInteger;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.ZonedDateTime;
import java.util.Collection;
import java.util.List;
import javax.security.auth.x500.X500Principal;
import org.wildfly.security.asn1.ASN1Encoder;
import org.wildfly.security.x500.GeneralName;
import org.wildfly.security.x500.cert.BasicConstraintsExtension;
import org.wildfly.security.x500.cert.ExtendedKeyUsageExtension;
import org.wildfly.security.x500.cert.KeyUsage;
import org.wildfly.security.x500.cert.KeyUsageExtension;
import org.wildfly.security.x500.cert.SubjectAlternativeNamesExtension;
import org.wildfly.security.x500.cert.X509CertificateBuilder;
import org.wildfly.security.x500.cert.X509CertificateExtension;

/**
 * A certificate authority that lives as long as this object. Its key is never stored, so nothing
 * can be signed with it later. Elliptic keys on P-256. Thread-safe.
 */
public final class CertificateAuthority {

  private static final SecureRandom RANDOM = new SecureRandom();
  private static final String SIGNATURE = "SHA256withECDSA";
  private static final String SERVER_USE = "1.3.6.1.5.5.7.3.1";
  private static final String CLIENT_USE = "1.3.6.1.5.5.7.3.2";
  private static final int SERIAL_BITS = 120;

  /** Certificates are valid from one hour before now, because clocks differ. */
  private static final Duration BEFORE_NOW = Duration.ofHours(1);

  private final X500Principal name;
  private final KeyPair keys;
  private final X509Certificate certificate;

  private CertificateAuthority(X500Principal name, KeyPair keys, X509Certificate certificate) {
    this.name = name;
    this.keys = keys;
    this.certificate = certificate;
  }

  /**
   * Creates an authority.
   *
   * @param commonName letters, digits, dashes and dots
   * @param life the validity of its own certificate, which bounds those that it signs
   */
  public static CertificateAuthority create(String commonName, Duration life) {
    X500Principal name = principal(commonName);
    KeyPair keys = pair();
    ZonedDateTime now = now();
    X509Certificate own =
        build(
            newBuilder(name, name, keys, keys, now.minus(BEFORE_NOW), now.plus(life))
                .addExtension(new BasicConstraintsExtension(true, true, 0))
                .addExtension(new KeyUsageExtension(true, KeyUsage.keyCertSign, KeyUsage.cRLSign)));
    return new CertificateAuthority(name, keys, own);
  }

  /** The certificate that clients and servers need in order to accept this authority. */
  public X509Certificate certificate() {
    return certificate;
  }

  /**
   * Issues a server certificate for {@code names}, host names or IPv4 addresses, valid as long as
   * the authority.
   */
  public TlsIdentity server(String commonName, List<String> names) {
    ZonedDateTime end = certificate.getNotAfter().toInstant().atZone(ZoneOffset.UTC);
    return issue(commonName, names, SERVER_USE, now().minus(BEFORE_NOW), end);
  }

  /** As {@link #server}, and the certificate names where its revocation list can be fetched. */
  public TlsIdentity serverWithListAt(String commonName, List<String> names, URI list) {
    ZonedDateTime end = certificate.getNotAfter().toInstant().atZone(ZoneOffset.UTC);
    return issue(
        commonName,
        names,
        SERVER_USE,
        now().minus(BEFORE_NOW),
        end,
        new ListAddress(list.toString()));
  }

  /** Issues a server certificate that expired one hour ago. */
  public TlsIdentity expiredServer(String commonName, List<String> names) {
    ZonedDateTime now = now();
    return issue(commonName, names, SERVER_USE, now.minusDays(2), now.minusHours(1));
  }

  /** Issues a client certificate. */
  public TlsIdentity client(String commonName) {
    ZonedDateTime end = certificate.getNotAfter().toInstant().atZone(ZoneOffset.UTC);
    return issue(commonName, List.of(), CLIENT_USE, now().minus(BEFORE_NOW), end);
  }

  /**
   * Signs a revocation list, in DER.
   *
   * @param life how long the list is valid from now on; if negative, the list has expired
   */
  public byte[] revocationList(Collection<X509Certificate> revoked, Duration life) {
    return revocationList(revoked, life, false);
  }

  /** As the other method; {@code isDelta} makes it a list of changes since a former one. */
  public byte[] revocationList(
      Collection<X509Certificate> revoked, Duration life, boolean isDelta) {
    Instant now = now().toInstant();
    return RevocationListEncoder.encode(
        name,
        keys.getPrivate(),
        revoked.stream().map(X509Certificate::getSerialNumber).toList(),
        now.minus(BEFORE_NOW).minus(life.isNegative() ? life.abs() : Duration.ZERO),
        now.plus(life),
        isDelta);
  }

  /**
   * A self-signed identity for nodes that are each other's servers and clients, and accept no other
   * peer.
   */
  public static TlsIdentity peers(String commonName, Duration life) {
    KeyPair keys = pair();
    X500Principal name = principal(commonName);
    ZonedDateTime now = now();
    X509Certificate own =
        build(newBuilder(name, name, keys, keys, now.minus(BEFORE_NOW), now.plus(life)));
    return new TlsIdentity(keys.getPrivate(), List.of(own));
  }

  private TlsIdentity issue(
      String commonName,
      List<String> names,
      String use,
      ZonedDateTime from,
      ZonedDateTime to,
      X509CertificateExtension... more) {
    KeyPair subjectKeys = pair();
    X509CertificateBuilder draft =
        newBuilder(principal(commonName), name, subjectKeys, keys, from, to)
            .addExtension(new BasicConstraintsExtension(true, false, -1))
            .addExtension(new KeyUsageExtension(true, KeyUsage.digitalSignature))
            .addExtension(new ExtendedKeyUsageExtension(false, List.of(use)));
    if (!names.isEmpty()) {
      draft.addExtension(
          new SubjectAlternativeNamesExtension(
              false, names.stream().map(CertificateAuthority::generalName).toList()));
    }
    for (X509CertificateExtension extension : more) {
      draft.addExtension(extension);
    }
    return new TlsIdentity(subjectKeys.getPrivate(), List.of(build(draft), certificate));
  }

  private static GeneralName generalName(String name) {
    return name.matches("[0-9]+(\\.[0-9]+){3}")
        ? new GeneralName.IPAddress(name)
        : new GeneralName.DNSName(name);
  }

  private static X509CertificateBuilder newBuilder(
      X500Principal subject,
      X500Principal issuer,
      KeyPair subjectKeys,
      KeyPair signing,
      ZonedDateTime from,
      ZonedDateTime to) {
    return new X509CertificateBuilder()
        .setSubjectDn(subject)
        .setIssuerDn(issuer)
        .setPublicKey(subjectKeys.getPublic())
        .setSigningKey(signing.getPrivate())
        .setSignatureAlgorithmName(SIGNATURE)
        .setSerialNumber(new BigInteger(SERIAL_BITS, RANDOM).add(BigInteger.ONE))
        .setNotValidBefore(from)
        .setNotValidAfter(to);
  }

  private static X509Certificate build(X509CertificateBuilder draft) {
    try {
      return draft.build();
    } catch (CertificateException e) {
      throw new IllegalStateException("a certificate cannot be made: " + e.getMessage(), e);
    }
  }

  private static KeyPair pair() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"), RANDOM);
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException("a key cannot be made: " + e.getMessage(), e);
    }
  }

  private static X500Principal principal(String commonName) {
    return new X500Principal("CN=" + commonName);
  }

  private static ZonedDateTime now() {
    return ZonedDateTime.now(ZoneOffset.UTC).withNano(0);
  }

  /** A CRL distribution point of at most 100 characters; the JDK does not read Elytron's. */
  private static final class ListAddress extends X509CertificateExtension {

    private final byte[] address;

    ListAddress(String address) {
      super(false);
      this.address = address.getBytes(StandardCharsets.US_ASCII);
    }

    @Override
    public String getId() {
      return "2.5.29.31";
    }

    @Override
    public void encodeTo(ASN1Encoder encoder) {
      int n = address.length;
      byte[] encoded = new byte[10 + n];
      int[] head = {0x30, n + 8, 0x30, n + 6, 0xa0, n + 4, 0xa0, n + 2, 0x86, n};
      for (int i = 0; i < head.length; i++) {
        encoded[i] = (byte) head[i];
      }
      System.arraycopy(address, 0, encoded, head.length, n);
      encoder.writeEncoded(encoded);
    }
  }
}
