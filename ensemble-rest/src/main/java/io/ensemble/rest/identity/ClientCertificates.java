package io.ensemble.rest.identity;

import io.ensemble.rest.policy.CallerIdentity;
import java.security.cert.CertificateException;
import java.security.cert.CertificateParsingException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Date;
import java.util.List;
import javax.naming.NamingException;
import javax.naming.directory.Attribute;
import javax.naming.ldap.LdapName;
import javax.naming.ldap.Rdn;
import javax.security.auth.x500.X500Principal;

/**
 * The part of a certificate, validated by TLS, that names its owner. A certificate that does not
 * have exactly one such name is rejected, so that a client cannot choose among several names.
 */
public enum ClientCertificates {
  /** The subject, as RFC 2253 writes it. */
  SUBJECT {
    @Override
    List<String> readNames(X509Certificate certificate) {
      return List.of(certificate.getSubjectX500Principal().getName(X500Principal.RFC2253));
    }
  },
  /** The subject's common name. */
  CN {
    @Override
    List<String> readNames(X509Certificate certificate) {
      String subject = certificate.getSubjectX500Principal().getName(X500Principal.RFC2253);
      List<String> names = new ArrayList<>();
      try {
        for (Rdn rdn : new LdapName(subject).getRdns()) {
          Attribute commonName = rdn.toAttributes().get("CN"); // One RDN may have several.
          for (int i = 0; commonName != null && i < commonName.size(); i++) {
            names.add(commonName.get(i) instanceof String text ? text : "");
          }
        }
        return names;
      } catch (NamingException e) {
        return List.of();
      }
    }
  },
  /** The alternative name that is a host. */
  DNS {
    @Override
    List<String> readNames(X509Certificate certificate) {
      return listAlternativeNames(certificate, 2);
    }
  },
  /** The alternative name that is an e-mail address. */
  EMAIL {
    @Override
    List<String> readNames(X509Certificate certificate) {
      return listAlternativeNames(certificate, 1);
    }
  },
  /** The alternative name that is a URI, as in SPIFFE. */
  URI {
    @Override
    List<String> readNames(X509Certificate certificate) {
      return listAlternativeNames(certificate, 6);
    }
  };

  abstract List<String> readNames(X509Certificate certificate);

  /**
   * The identity of a certificate. TLS checks a certificate only when a connection begins, and
   * connections may last, so this method checks the validity again.
   *
   * @throws AuthenticationFailedException if the certificate does not have exactly one name, or has
   *     expired
   */
  CallerIdentity identify(X509Certificate certificate, Instant now) {
    try {
      certificate.checkValidity(Date.from(now));
    } catch (CertificateException e) {
      throw new AuthenticationFailedException("the certificate has expired, or is not yet valid");
    }
    List<String> names = readNames(certificate);
    if (names.size() != 1 || names.get(0).isBlank()) {
      throw new AuthenticationFailedException(
          "the certificate does not have exactly one name of the configured kind");
    }
    return CallerIdentity.of("certificate", names.get(0));
  }

  private static List<String> listAlternativeNames(X509Certificate certificate, int kind) {
    try {
      Collection<List<?>> alternativeNames = certificate.getSubjectAlternativeNames();
      return alternativeNames == null
          ? List.of()
          : alternativeNames.stream()
              .filter(alternativeName -> alternativeName.get(0).equals(kind))
              .map(alternativeName -> String.valueOf(alternativeName.get(1)))
              .toList();
    } catch (CertificateParsingException e) {
      return List.of();
    }
  }
}
