/**
 * How an operator says who may do what: {@link io.ensemble.rest.access.AccessFileParser} reads a
 * file, {@link io.ensemble.rest.access.AccessControl} makes the gate and the TLS that it describes.
 * Secrets are named in it by reference only.
 */
@NullMarked
package io.ensemble.rest.access;

import org.jspecify.annotations.NullMarked;
