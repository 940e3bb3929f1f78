/**
 * How a process reaches a site over Hot Rod: endpoints, credentials, TLS, secrets by reference, and
 * the site's storage.
 */
@NullMarked
package io.ensemble.site.hotrod.configuration;

import org.jspecify.annotations.NullMarked;
