/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The TLS proxy of tls_proxy.h.
 */
#include "tls_proxy.h"

#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <openssl/ssl.h>

#include "base/must.h"

enum { PIECE = 16 * 1024 };

static int choose_protocol(SSL *ssl, const unsigned char **ret, unsigned char *ret_len,
                           const unsigned char *offer, unsigned offer_len, void *arg)
{
    static const unsigned char known[] = "\002h2\010http/1.1";

    (void)ssl;
    (void)arg;
    return SSL_select_next_proto((unsigned char **)(uintptr_t)ret, ret_len, known,
                                 sizeof known - 1, offer, offer_len) == OPENSSL_NPN_NEGOTIATED
               ? SSL_TLSEXT_ERR_OK
               : SSL_TLSEXT_ERR_ALERT_FATAL;
}

static int connect_to(int port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    must(connect(fd, (struct sockaddr *)&address, sizeof address) == 0);
    return fd;
}

/* One connection, until either side ends it. */
static void carry(SSL *ssl, int server)
{
    struct pollfd fds[2] = {{SSL_get_fd(ssl), POLLIN, 0}, {server, POLLIN, 0}};
    char bytes[PIECE];

    for (;;) {
        int from = 0, got;

        if (SSL_pending(ssl) == 0) {
            poll(fds, 2, -1);
            from = fds[0].revents != 0 ? 0 : 1;
        }
        got = from == 0 ? SSL_read(ssl, bytes, sizeof bytes)
                        : (int)read(server, bytes, sizeof bytes);
        if (got <= 0 || (from == 0 ? (int)write(server, bytes, (size_t)got)
                                   : SSL_write(ssl, bytes, got)) != got)
            return;
    }
}

/*
 * Waits for the client to close a connection that the handshake rejected.  Closing it first,
 * with unread bytes of the client, would reset it, and the client could lose the alert.
 */
static void drain(int fd)
{
    char bytes[PIECE];

    shutdown(fd, SHUT_WR);
    while (read(fd, bytes, sizeof bytes) > 0)
        ;
}

/* Each connection has its own process, and all of them end with ours. */
static void serve(int listener, const struct cert *cert, int port, const char *clients)
{
    SSL_CTX *context = SSL_CTX_new(TLS_server_method());

    must(SSL_CTX_use_certificate_file(context, cert->cert, SSL_FILETYPE_PEM) == 1);
    must(SSL_CTX_use_PrivateKey_file(context, cert->key, SSL_FILETYPE_PEM) == 1);
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, NULL);
    if (clients) {
        must(SSL_CTX_load_verify_file(context, clients) == 1);
        SSL_CTX_set_verify(context, SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, NULL);
    }
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_IGN);
    for (;;) {
        int fd = accept(listener, NULL, NULL);

        if (fork() == 0) {
            SSL *ssl = SSL_new(context);

            prctl(PR_SET_PDEATHSIG, SIGKILL);
            SSL_set_fd(ssl, fd);
            if (SSL_accept(ssl) == 1)
                carry(ssl, connect_to(port));
            else
                drain(fd);
            _exit(0);
        }
        close(fd);
    }
}

void tls_proxy_open(struct tls_proxy *proxy, uint16_t server_port)
{
    tls_proxy_open_mutual(proxy, server_port, NULL);
}

void tls_proxy_open_mutual(struct tls_proxy *proxy, uint16_t server_port, const char *clients)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);

    cert_make(CERT_EC, "proxy", &proxy->cert);
    must(bind(listener, (struct sockaddr *)&address, sizeof address) == 0);
    must(listen(listener, 16) == 0);
    must(getsockname(listener, (struct sockaddr *)&address, &len) == 0);
    proxy->port = ntohs(address.sin_port);
    proxy->child = fork();
    must(proxy->child >= 0);
    if (proxy->child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        serve(listener, &proxy->cert, server_port, clients);
    }
    close(listener);
}

void tls_proxy_close(const struct tls_proxy *proxy)
{
    kill(proxy->child, SIGKILL);
    must(waitpid(proxy->child, NULL, 0) == proxy->child);
    cert_remove(&proxy->cert);
}
