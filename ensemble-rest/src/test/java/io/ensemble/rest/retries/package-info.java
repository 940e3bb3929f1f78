/**
 * Clients who send requests again until they are answered, through several services on real sites
 * that fail, and what must hold of the answers.
 */
package io.ensemble.rest.retries;
