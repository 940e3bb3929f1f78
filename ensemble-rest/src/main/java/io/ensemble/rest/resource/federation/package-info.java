/**
 * Federation endpoints register, drain and remove sites, and report the state of the whole
 * federation as a snapshot and a stream.
 */
@NullMarked
package io.ensemble.rest.resource.federation;

import org.jspecify.annotations.NullMarked;
